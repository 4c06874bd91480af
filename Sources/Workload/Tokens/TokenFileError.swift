/// Why a file of device tokens cannot be used; lines and columns count from 1, columns in bytes.
public enum TokenFileError: Error, Equatable, Sendable {
    /// The file has no token in it.
    case empty(file: String)
    /// A byte that is neither a hexadecimal digit nor space nor a bracket in its place.
    case unexpectedByte(file: String, line: Int, column: Int, found: UInt8)
    /// An odd number of digits; the column is behind the last one.
    case oddDigitCount(file: String, line: Int, column: Int, digitCount: Int)
    /// A token of another length than is accepted; the column is where it begins.
    case wrongLength(file: String, line: Int, column: Int, foundBytes: Int, accepted: ClosedRange<Int>)
    /// A `<` without its `>`; the column is behind the last digit.
    case unclosedBracket(file: String, line: Int, column: Int)
}

extension TokenFileError: CustomStringConvertible {
    /// The error as a sentence for the user: where, what was found, what is accepted.
    public var description: String {
        switch self {
        case .empty(let file):
            "\(file): no device token in it; one hexadecimal token a line is accepted"
        case .unexpectedByte(let file, let line, let column, let found):
            "\(file):\(line):\(column): found \(Self.name(of: found)); a device token is hexadecimal digits, "
                + "with spaces between and <…> around them if you like"
        case .oddDigitCount(let file, let line, let column, let digitCount):
            "\(file):\(line):\(column): \(digitCount) digits; two hexadecimal digits are a byte, so their number is even"
        case .wrongLength(let file, let line, let column, let foundBytes, let accepted):
            "\(file):\(line):\(column): a token of \(foundBytes) bytes (\(2 * foundBytes) digits); "
                + (accepted.count == 1
                    ? "\(accepted.lowerBound) bytes (\(2 * accepted.lowerBound) digits) are accepted"
                    : "\(accepted.lowerBound) to \(accepted.upperBound) bytes are accepted")
        case .unclosedBracket(let file, let line, let column):
            "\(file):\(line):\(column): the token began with <, so > is expected here"
        }
    }

    private static func name(of byte: UInt8) -> String {
        if (0x21...0x7E).contains(byte) { return "'\(Unicode.Scalar(byte))'" }
        let digits = String(byte, radix: 16)
        return "byte 0x" + (digits.count == 1 ? "0" : "") + digits
    }
}
