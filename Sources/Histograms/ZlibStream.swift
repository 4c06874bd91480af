import CZlib

/// Whole zlib streams (RFC 1950) in memory.
enum ZlibStream {
    /// Compresses as well as zlib can: encoding happens once an interval, the text is kept for years.
    static func deflate(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(compressBound(uLong(bytes.count)))) { output, count in
            var length = uLongf(output.count)
            let code = compress2(output.baseAddress, &length, bytes, uLong(bytes.count), Z_BEST_COMPRESSION)
            precondition(code == Z_OK, "zlib cannot compress \(bytes.count) bytes: \(code)")
            count = Int(length)
        }
    }

    /// Inflates exactly one stream that fills `bytes`, whose contents may be hostile.
    ///
    /// Memory grows with what really comes out, and never beyond `limit`.
    static func inflate(_ bytes: ArraySlice<UInt8>, limit: Int) throws(HistogramError) -> [UInt8] {
        // Behind a pointer: zlib refuses a stream that has moved.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        let code = inflateInit_(stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw .badCompression(code: code) }
        defer { inflateEnd(stream) }

        var input = Array(bytes)
        var output: [UInt8] = []
        let (result, inputLeft) = input.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = uInt(input.count)
            return (drain(stream, into: &output, limit: limit), Int(stream.pointee.avail_in))
        }
        guard output.count <= limit else { throw .inflatesBeyond(limit: limit) }
        guard result == Z_STREAM_END else { throw .badCompression(code: result) }
        guard inputLeft == 0 else { throw .trailingBytes(count: inputLeft) }
        return output
    }

    /// Inflates in steps of bounded size until the stream ends, fails, or has passed the limit.
    private static func drain(
        _ stream: UnsafeMutablePointer<z_stream>, into output: inout [UInt8], limit: Int
    ) -> Int32 {
        var step = [UInt8](repeating: 0, count: 16_384)
        while true {  // Bounded by the limit: each turn but the last fills a step, or ends with Z_BUF_ERROR.
            let (code, produced) = step.withUnsafeMutableBufferPointer { step in
                stream.pointee.next_out = step.baseAddress
                stream.pointee.avail_out = uInt(step.count)
                let code = CZlib.inflate(stream, Z_NO_FLUSH)
                return (code, step.count - Int(stream.pointee.avail_out))
            }
            output.append(contentsOf: step.prefix(produced))
            guard code == Z_OK, output.count <= limit else { return code }
        }
    }
}
