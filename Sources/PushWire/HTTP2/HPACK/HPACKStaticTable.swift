/// The 61 fields that every HPACK table begins with (RFC 7541 appendix A).
public enum HPACKStaticTable {
    /// One field of the table.
    struct Entry: Sendable {
        var name: StaticString
        var value: StaticString
        var knownName: HTTP2FieldName
    }

    /// How many fields there are; the dynamic table's indices begin behind them.
    @inlinable public static var count: Int { 61 }

    /// The fields by index, with an empty one at 0, which is no index.
    static let entries: [Entry] = rows.map { row in
        Entry(name: row.0, value: row.1, knownName: HTTP2FieldName(row.0.bytes))
    }

    /// The lowest index of a name, for literals; nil if the table has none.
    public static func index(of name: HTTP2FieldName) -> Int? {
        name == .other ? nil : entries.firstIndex { $0.knownName == name }
    }

    private static let rows: [(StaticString, StaticString)] = [
        ("", ""),
        (":authority", ""),
        (":method", "GET"),
        (":method", "POST"),
        (":path", "/"),
        (":path", "/index.html"),
        (":scheme", "http"),
        (":scheme", "https"),
        (":status", "200"),
        (":status", "204"),
        (":status", "206"),
        (":status", "304"),
        (":status", "400"),
        (":status", "404"),
        (":status", "500"),
        ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"),
        ("accept-language", ""),
        ("accept-ranges", ""),
        ("accept", ""),
        ("access-control-allow-origin", ""),
        ("age", ""),
        ("allow", ""),
        ("authorization", ""),
        ("cache-control", ""),
        ("content-disposition", ""),
        ("content-encoding", ""),
        ("content-language", ""),
        ("content-length", ""),
        ("content-location", ""),
        ("content-range", ""),
        ("content-type", ""),
        ("cookie", ""),
        ("date", ""),
        ("etag", ""),
        ("expect", ""),
        ("expires", ""),
        ("from", ""),
        ("host", ""),
        ("if-match", ""),
        ("if-modified-since", ""),
        ("if-none-match", ""),
        ("if-range", ""),
        ("if-unmodified-since", ""),
        ("last-modified", ""),
        ("link", ""),
        ("location", ""),
        ("max-forwards", ""),
        ("proxy-authenticate", ""),
        ("proxy-authorization", ""),
        ("range", ""),
        ("referer", ""),
        ("refresh", ""),
        ("retry-after", ""),
        ("server", ""),
        ("set-cookie", ""),
        ("strict-transport-security", ""),
        ("transfer-encoding", ""),
        ("user-agent", ""),
        ("vary", ""),
        ("via", ""),
        ("www-authenticate", ""),
    ]
}
