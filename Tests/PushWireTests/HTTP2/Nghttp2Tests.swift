import Primitives
import PushWire
import Testing

/// Our HPACK against that of nghttp2, both ways.
@Suite struct Nghttp2Tests {
    private static let names = [
        ":method", ":path", "apns-id", "apns-topic", "authorization", "x-custom", "content-type", "cookie", "date",
    ]

    private static func fields(_ random: inout SeededRandom) -> [Field] {
        (0..<1 + Int(random.below(12))).map { _ in
            let name = names[Int(random.below(UInt64(names.count)))]
            // Few enough values that some come again.
            let length = Int(random.below(random.below(10) == 0 ? 900 : 40))
            var content = SeededRandom(seed: random.below(20) * 1_000 + UInt64(length))
            let value = (0..<length).map { _ in Character(UnicodeScalar(0x21 + UInt8(content.below(94)))) }
            return Field(name, String(value))
        }
    }

    @Test(arguments: [1 as UInt64, 2, 3, 4])
    func `whatever the library encodes decodes to the same fields`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let encoder = Nghttp2Encoder()
        var decoder = HPACKDecoder()
        for round in 0..<1_500 {
            if random.below(100) == 0 { encoder.changeTableSize(to: Int(random.below(4_097))) }
            let fields = Self.fields(&random)
            let block = encoder.encode(fields)
            #expect(try decode(block, with: &decoder) == fields, "seed \(seed), round \(round)")
            #expect(decoder.tableSize <= 4_096)
        }
    }

    @Test func `every byte value survives the Huffman code`() throws {
        let encoder = Nghttp2Encoder(tableSize: 0)
        var decoder = HPACKDecoder()
        for byte in UInt8.min...UInt8.max {
            for count in 1...5 {
                // Short codes around it, so that the library finds the Huffman code shorter.
                let value =
                    [UInt8](repeating: UInt8(ascii: "a"), count: 20 * count)
                    + [UInt8](repeating: byte, count: count) + [UInt8](repeating: UInt8(ascii: "e"), count: count)
                let block = encoder.encode([(Array("x".utf8), value)])
                var decoded: [UInt8] = []
                _ = try decode(block, with: &decoder) { decoded = Array($0.value) }
                #expect(decoded == value, "byte \(byte)")
            }
        }
    }

    @Test(arguments: [1 as UInt64, 2, 3]) func `whatever we encode the library decodes`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let decoder = Nghttp2Decoder()
        for round in 0..<500 {
            let fields = Self.fields(&random)
            let block = [UInt8](unsafeUninitializedCapacity: 20_000) { buffer, count in
                var writer = HPACKWriter(UnsafeMutableRawBufferPointer(buffer))
                for field in fields {
                    let form: HPACKForm = [.incremental, .withoutIndexing, .neverIndexed][Int(random.below(3))]
                    Array(field.name.utf8).withUnsafeBytes { name in
                        Array(field.value.utf8).withUnsafeBytes { value in
                            let known = HTTP2FieldName(name)
                            if known != .other && random.below(2) == 0 {
                                writer.literal(form, known, value: value)
                            } else {
                                writer.literal(form, name: name, value: value)
                            }
                        }
                    }
                }
                count = writer.count
            }
            #expect(decoder.decode(block) == fields, "seed \(seed), round \(round)")
        }
    }

    @Test(arguments: [100, 200, 204, 206, 304, 400, 403, 404, 405, 410, 413, 429, 500, 503, 999])
    func `every status is read as it was written`(status: Int) {
        let block = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            var writer = HPACKWriter(UnsafeMutableRawBufferPointer(buffer))
            writer.status(status)
            count = writer.count
        }
        #expect(Nghttp2Decoder().decode(block) == [Field(":status", "\(status)")])
    }

    @Test(arguments: [1 as UInt64, 2, 3, 4, 5, 6])
    func `the library reads every request of a template, whatever happens between them`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var fields = RequestFields(authority: "api.push.apple.com")
        var bearer: String? = "bearer " + String(repeating: "x", count: 200)
        fields.authorization = bearer.map { Array($0.utf8) }
        fields.authorizationIndexing = random.below(3) == 0 ? .literal : .indexed
        fields.topic = "com.example.app"
        fields.pushType = "alert"
        fields.priority = 10
        fields.expiration = 0
        fields.extras = [.init(name: "x-run", value: "\(seed)")]
        let ids = NotificationIDSpace(seed: seed)
        var template = RequestTemplate(fields: fields, ids: ids)
        let decoder = Nghttp2Decoder()
        for sequence in 0..<300 as Range<UInt64> {
            if random.below(12) == 0 {
                let size = [0, 100, 700, 1_000, 4_096, 65_536][Int(random.below(6))]
                decoder.changeTableSize(to: size)
                template.setPeerTableSize(size)
                if random.below(3) == 0 {
                    decoder.changeTableSize(to: 4_096)
                    template.setPeerTableSize(4_096)
                }
            }
            if random.below(10) == 0 {
                bearer = random.below(8) == 0 ? nil : "bearer " + String(repeating: "y", count: 150 + Int(sequence))
                template.setAuthorization(bearer.map { Array($0.utf8) })
            }
            let token = (0..<(random.below(5) == 0 ? 100 : 32)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let request = Request(
                &template, token: token, sequence: sequence, stream: UInt32(2 * sequence + 1), payload: [7, 8, 9])
            let id = String(decoding: idBytes(ids, sequence), as: UTF8.self)
            var expected = [
                Field(":method", "POST"), Field(":scheme", "https"), Field(":authority", "api.push.apple.com"),
                Field(":path", "/3/device/" + token.map { hex($0) }.joined()),
            ]
            if let bearer { expected.append(Field("authorization", bearer)) }
            expected += [
                Field("apns-topic", "com.example.app"), Field("apns-push-type", "alert"), Field("apns-priority", "10"),
                Field("apns-expiration", "0"), Field("x-run", "\(seed)"), Field("apns-id", id),
            ]
            #expect(decoder.decode(request.block) == expected, "seed \(seed), request \(sequence)")
            #expect(request.body == [7, 8, 9])
            #expect(request.streams == [UInt32(2 * sequence + 1), UInt32(2 * sequence + 1)])
        }
    }
}
