internal import COpenSSL

/// The extensions by which a provider's certificate says what it is for (`protocol.md` section 3.8).
enum AppleExtension: String, CaseIterable {
    /// Good for the sandbox.
    case development = "1.2.840.113635.100.6.3.1"
    /// Good for production.
    case production = "1.2.840.113635.100.6.3.2"
    /// The topics; its presence marks a certificate for both environments.
    case topics = "1.2.840.113635.100.6.3.6"

    /// The library's form of the identifier; the caller frees it.
    private func makeObject() -> OpaquePointer? { OBJ_txt2obj(rawValue, 1) }

    /// Adds the extension to a certificate that is being made; false when memory is short.
    func add(_ value: [UInt8], to certificate: OpaquePointer) -> Bool {
        guard let object = makeObject(), let octets = ASN1_OCTET_STRING_new() else { return false }
        defer {
            ASN1_OBJECT_free(object)
            ASN1_OCTET_STRING_free(octets)
        }
        guard ASN1_OCTET_STRING_set(octets, value, Int32(clamping: value.count)) == 1,
            let made = X509_EXTENSION_create_by_OBJ(nil, object, 0, octets)
        else { return false }
        defer { X509_EXTENSION_free(made) }
        return X509_add_ext(certificate, made, -1) == 1
    }

    /// The extension's value in a certificate; nil when it has none.
    func value(in certificate: OpaquePointer) -> [UInt8]? {
        guard let object = makeObject() else { return nil }
        defer { ASN1_OBJECT_free(object) }
        let index = X509_get_ext_by_OBJ(certificate, object, -1)
        guard index >= 0, let found = X509_get_ext(certificate, index),
            let octets = X509_EXTENSION_get_data(found)
        else { return nil }
        let count = Int(ASN1_STRING_length(octets))
        return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(octets), count: max(0, count)))
    }
}

/// The value of the topics extension: a sequence of topics, each followed by a sequence of its kinds, all UTF-8 texts.
enum TopicList {
    /// More are not read out of one certificate.
    private static let limit = 64
    /// DER's null, which the two extensions of single environments hold.
    static let null: [UInt8] = [UInt8(V_ASN1_NULL), 0]

    /// The topics that a universal certificate for an app holds.
    static func encode(app topic: String) -> [UInt8] {
        let rows = [(topic, "app"), (topic + ".voip", "voip"), (topic + ".complication", "complication")]
        let content = rows.flatMap { text($0.0) + sequence(text($0.1)) }
        return sequence(content)
    }

    /// The topics in such a value; of what is malformed, those before the fault.
    static func decode(_ value: [UInt8]) -> [String] {
        value.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress, let list = Element(at: start, count: bytes.count),
                list.tag == V_ASN1_SEQUENCE
            else { return [] }
            var topics: [String] = []
            var rest = list.content
            while topics.count < limit, let base = rest.baseAddress, let next = Element(at: base, count: rest.count) {
                if next.tag == V_ASN1_UTF8STRING { topics.append(String(decoding: next.content, as: UTF8.self)) }
                rest = UnsafeBufferPointer(rebasing: rest[next.size...])
            }
            return topics
        }
    }

    private static func text(_ text: String) -> [UInt8] { element(UInt8(V_ASN1_UTF8STRING), Array(text.utf8)) }

    private static func sequence(_ content: [UInt8]) -> [UInt8] {
        element(UInt8(V_ASN1_SEQUENCE | V_ASN1_CONSTRUCTED), content)
    }

    /// A DER element of at most 65,535 bytes.
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<128: [UInt8(count)]
            case ..<256: [0x81, UInt8(count)]
            default: [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
            }
        return [tag] + length + content
    }

    /// One element of DER that lies whole in its bytes.
    private struct Element {
        let tag: Int32
        let content: UnsafeBufferPointer<UInt8>
        /// Header and content.
        let size: Int

        init?(at start: UnsafePointer<UInt8>, count: Int) {
            var place: UnsafePointer<UInt8>? = start
            var length = 0
            var tag: Int32 = 0
            var tagClass: Int32 = 0
            ErrorStack.clear()
            let result = ASN1_get_object(&place, &length, &tag, &tagClass, count)
            ErrorStack.clear()
            // Bit 7 tells a fault, bit 0 a length that is not definite.
            guard result & 0x81 == 0, tagClass == V_ASN1_UNIVERSAL, let place, length >= 0,
                place - start <= count - length
            else { return nil }
            self.tag = tag
            content = UnsafeBufferPointer(start: place, count: length)
            size = place - start + length
        }
    }
}
