/// What generated payloads shall look like, decided before the run.
public struct PayloadPlan: Equatable, Sendable {
    /// The seed of sizes and texts.
    public var seed: UInt64
    /// The distribution of sizes, in bytes.
    public var sizes: PayloadSizes
    /// The characters of titles and bodies.
    public var alphabet: TextAlphabet
    /// Whether texts stand as UTF-8 or as escapes.
    public var form: TextForm
    /// The protocol's largest payload in bytes; see ``PayloadLimit``.
    public var limitBytes: Int
    /// The share of notifications, from 0 to 1, whose payload is over ``limitBytes`` by one byte or more.
    public var oversizedFraction: Double

    /// Makes a plan; ASCII text of the given sizes under the binary interface's limit unless told otherwise.
    public init(
        seed: UInt64, sizes: PayloadSizes, alphabet: TextAlphabet = .ascii, form: TextForm = .utf8,
        limitBytes: Int = PayloadLimit.binary, oversizedFraction: Double = 0
    ) {
        self.seed = seed
        self.sizes = sizes
        self.alphabet = alphabet
        self.form = form
        self.limitBytes = limitBytes
        self.oversizedFraction = oversizedFraction
    }
}
