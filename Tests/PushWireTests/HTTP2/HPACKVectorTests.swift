import PushWire
import Testing

/// The examples of RFC 7541 appendix C.
@Suite struct HPACKVectorTests {
    private static let first = [
        Field(":method", "GET"), Field(":scheme", "http"), Field(":path", "/"), Field(":authority", "www.example.com"),
    ]
    private static let second = first + [Field("cache-control", "no-cache")]
    private static let third = [
        Field(":method", "GET"), Field(":scheme", "https"), Field(":path", "/index.html"),
        Field(":authority", "www.example.com"), Field("custom-key", "custom-value"),
    ]

    @Test(arguments: [
        // C.2.1 to C.2.4, then C.3 and C.4
        ("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572", Field("custom-key", "custom-header"), 55),
        ("040c 2f73 616d 706c 652f 7061 7468", Field(":path", "/sample/path"), 0),
        ("1008 7061 7373 776f 7264 0673 6563 7265 74", Field("password", "secret"), 0),
        ("82", Field(":method", "GET"), 0),
    ])
    func `single fields decode as the RFC says`(hex: String, field: Field, tableSize: Int) throws {
        var decoder = HPACKDecoder()
        #expect(try decode(bytes(hex: hex), with: &decoder) == [field])
        #expect(decoder.tableSize == tableSize)
    }

    @Test(arguments: [
        [
            "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", "8286 84be 5808 6e6f 2d63 6163 6865",
            "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
        ],
        [
            "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", "8286 84be 5886 a8eb 1064 9cbf",
            "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
        ],
    ])
    func `three requests on one connection share a table`(blocks: [String]) throws {
        var decoder = HPACKDecoder()
        #expect(try decode(bytes(hex: blocks[0]), with: &decoder) == Self.first)
        #expect(decoder.tableSize == 57)
        #expect(try decode(bytes(hex: blocks[1]), with: &decoder) == Self.second)
        #expect(decoder.tableSize == 110)
        #expect(try decode(bytes(hex: blocks[2]), with: &decoder) == Self.third)
        #expect(decoder.tableSize == 164)
    }

    @Test(arguments: [
        [
            """
            4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d
            546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d
            """,
            "4803 3330 37c1 c0bf",
            """
            88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f
            6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b
            2076 6572 7369 6f6e 3d31
            """,
        ],
        [
            """
            4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7
            8f0b 97c8 e9ae 82ae 43d3
            """,
            "4883 640e ffc1 c0bf",
            """
            88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335
            dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07
            """,
        ],
    ])
    func `responses drive each other out of a table of 256 bytes`(blocks: [String]) throws {
        let date = "Mon, 21 Oct 2013 20:13:21 GMT"
        var decoder = HPACKDecoder(tableSizeLimit: 256)
        #expect(
            try decode(bytes(hex: blocks[0]), with: &decoder) == [
                Field(":status", "302"), Field("cache-control", "private"), Field("date", date),
                Field("location", "https://www.example.com"),
            ])
        #expect(decoder.tableSize == 222)
        #expect(
            try decode(bytes(hex: blocks[1]), with: &decoder) == [
                Field(":status", "307"), Field("cache-control", "private"), Field("date", date),
                Field("location", "https://www.example.com"),
            ])
        #expect(decoder.tableSize == 222)
        #expect(
            try decode(bytes(hex: blocks[2]), with: &decoder) == [
                Field(":status", "200"), Field("cache-control", "private"),
                Field("date", "Mon, 21 Oct 2013 20:13:22 GMT"), Field("location", "https://www.example.com"),
                Field("content-encoding", "gzip"),
                Field("set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"),
            ])
        #expect(decoder.tableSize == 215)
        #expect(decoder.tableCount == 3)
    }

    @Test(arguments: [(10, UInt8(5), "0a"), (1_337, 5, "1f9a0a"), (42, 8, "2a"), (31, 5, "1f00"), (127, 7, "7f00")])
    func `integers are written as the RFC says`(value: Int, prefixBits: UInt8, hex: String) {
        var buffer = [UInt8](repeating: 0, count: HPACKInteger.maxByteCount)
        let count = buffer.withUnsafeMutableBytes {
            HPACKInteger.write(value, prefixBits: prefixBits, pattern: 0, to: $0.baseAddress!)
        }
        #expect(Array(buffer[..<count]) == bytes(hex: hex))
    }
}
