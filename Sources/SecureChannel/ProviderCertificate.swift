internal import COpenSSL

/// What a provider's certificate says: for which apps it is, and in which environment (`protocol.md` section 3.8).
public struct ProviderCertificate: Hashable, Sendable {
    /// The environments that a certificate is good for.
    public struct Environments: OptionSet, Hashable, Sendable {
        /// The bits: 1 sandbox, 2 production.
        public let rawValue: UInt8

        /// Makes a set of the bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The development environment.
        public static let sandbox = Environments(rawValue: 1)
        /// The environment of released apps.
        public static let production = Environments(rawValue: 2)
        /// Both.
        public static let both: Environments = [.sandbox, .production]
    }

    /// The topics: those of the topics extension, and the subject's user identifier; at most 65, without repetitions.
    public let topics: [String]
    /// The environments; both, too, for a certificate that names none, as one from another authority does.
    public let environments: Environments

    /// Makes the description of a certificate.
    public init(topics: [String], environments: Environments) {
        self.topics = topics
        self.environments = environments
    }

    /// Reads a certificate of the library's, which is borrowed.
    init(_ certificate: OpaquePointer) {
        var topics: [String] = []
        if let user = Self.userIdentifier(of: certificate) { topics.append(user) }
        let list = AppleExtension.topics.value(in: certificate)
        for topic in list.map(TopicList.decode) ?? [] where !topics.contains(topic) { topics.append(topic) }
        var environments: Environments = []
        if AppleExtension.development.value(in: certificate) != nil { environments.insert(.sandbox) }
        if AppleExtension.production.value(in: certificate) != nil { environments.insert(.production) }
        self.topics = topics
        self.environments = list != nil || environments.isEmpty ? .both : environments
    }

    private static func userIdentifier(of certificate: OpaquePointer) -> String? {
        let subject = X509_get_subject_name(certificate)
        let index = X509_NAME_get_index_by_NID(subject, NID_userId, -1)
        guard index >= 0, let text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index)) else { return nil }
        let count = Int(ASN1_STRING_length(text))
        let name = String(
            decoding: UnsafeBufferPointer(start: ASN1_STRING_get0_data(text), count: max(0, count)), as: UTF8.self)
        return name.isEmpty ? nil : name
    }
}

extension TLSIdentity {
    /// What the leaf certificate says; nil when there is none.
    public var providerCertificate: ProviderCertificate? {
        var leaf: ProviderCertificate?
        _ = try? PEM.forEachCertificate(in: certificateChainPEM) { certificate in
            leaf = leaf ?? ProviderCertificate(certificate)
        }
        return leaf
    }
}
