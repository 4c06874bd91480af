import CNghttp2

/// The library's encoder of header blocks, which uses Huffman code and its table as it likes.
final class Nghttp2Encoder {
    private var deflater: OpaquePointer?

    init(tableSize: Int = 4_096) { nghttp2_hd_deflate_new(&deflater, tableSize) }

    deinit { nghttp2_hd_deflate_del(deflater) }

    func changeTableSize(to size: Int) { nghttp2_hd_deflate_change_table_size(deflater, size) }

    func encode(_ fields: [Field]) -> [UInt8] { encode(fields.map { (Array($0.name.utf8), Array($0.value.utf8)) }) }

    func encode(_ fields: [(name: [UInt8], value: [UInt8])]) -> [UInt8] {
        // One block of memory for all names and values, which the pairs point into.
        var memory = fields.flatMap { $0.name + $0.value }
        return memory.withUnsafeMutableBufferPointer { bytes in
            var next = bytes.baseAddress
            let pairs = fields.map { name, value in
                let start = next
                next = start.map { $0 + name.count + value.count }
                return nghttp2_nv(
                    name: start, value: start.map { $0 + name.count }, namelen: name.count, valuelen: value.count,
                    flags: 0)
            }
            let bound = nghttp2_hd_deflate_bound(deflater, pairs, pairs.count)
            var block = [UInt8](repeating: 0, count: bound)
            let count = nghttp2_hd_deflate_hd(deflater, &block, bound, pairs, pairs.count)
            return Array(block[..<max(0, Int(count))])
        }
    }
}

/// The library's decoder of header blocks.
final class Nghttp2Decoder {
    private var inflater: OpaquePointer?

    init() { nghttp2_hd_inflate_new(&inflater) }

    deinit { nghttp2_hd_inflate_del(inflater) }

    func changeTableSize(to size: Int) { nghttp2_hd_inflate_change_table_size(inflater, size) }

    /// The fields of a block; nil if the library refuses it.
    func decode(_ block: [UInt8]) -> [Field]? {
        var fields: [Field] = []
        var rest = block[...]
        while true {
            var pair = nghttp2_nv()
            var flags: Int32 = 0
            let input = Array(rest)
            let count = nghttp2_hd_inflate_hd2(inflater, &pair, &flags, input, input.count, 1)
            guard count >= 0 else { return nil }
            rest = rest.dropFirst(Int(count))
            if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
                fields.append(Field(Self.text(pair.name, pair.namelen), Self.text(pair.value, pair.valuelen)))
            }
            if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 { break }
            if rest.isEmpty && flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) == 0 { break }
        }
        nghttp2_hd_inflate_end_headers(inflater)
        return fields
    }

    private static func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
