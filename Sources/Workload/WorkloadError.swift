/// Why a workload cannot be made from what was asked for.
public enum WorkloadError: Error, Equatable, Sendable {
    /// A population without devices, or with more than 2³².
    case deviceCountOutOfRange(UInt64)
    /// A share that is not a number from 0 to 1; `name` is the share's name in a profile.
    case fractionOutOfRange(name: String, value: Double)
    /// Shares of bad, unregistered and other-topic devices that add up to more than 1.
    case fractionsExceedWhole(sum: Double)
    /// A payload size below the shortest notification that can be made.
    case payloadTooSmall(bytes: Int, minimum: Int)
    /// A payload over the protocol's limit, when oversized payloads are not wanted.
    case payloadTooLarge(bytes: Int, limit: Int)
    /// Sizes that are not in the order p50 ≤ p99 ≤ max.
    case payloadSizesOutOfOrder(p50: Int, p99: Int, max: Int)
    /// A limit that no known protocol's length field can hold.
    case limitOutOfRange(bytes: Int)
    /// A payload or template file that is not a JSON object; line and column count from 1, in bytes.
    case invalidJSON(file: String, offset: Int, line: Int, column: Int)
    /// A `{{field}}` that templates do not have.
    case unknownField(file: String, name: String, offset: Int, line: Int, column: Int)
    /// A `{{` without its `}}`.
    case unterminatedField(file: String, offset: Int, line: Int, column: Int)
    /// A line of a timing file that is no time; lines count from 1.
    case badArrivalTime(file: String, line: Int, found: String)
    /// A time that is before the one above it.
    case fallingArrivalTime(file: String, line: Int)
    /// A timing file with more times than ``ArrivalTimes/limit``.
    case tooManyArrivalTimes(file: String)
    /// A timing file without a time.
    case noArrivalTimes(file: String)
}

extension WorkloadError: CustomStringConvertible {
    /// The error as a sentence for the user.
    public var description: String {
        switch self {
        case .deviceCountOutOfRange(let count):
            "a population of \(count) devices; 1 to \(DeviceOrder.largestCount) are accepted"
        case .fractionOutOfRange(let name, let value): "\(name) is \(value); a share from 0 to 1 is accepted"
        case .fractionsExceedWhole(let sum): "badToken, unregistered and otherTopic add up to \(sum), more than 1"
        case .payloadTooSmall(let bytes, let minimum):
            "a payload of \(bytes) bytes is asked for; the shortest notification has \(minimum)"
        case .payloadTooLarge(let bytes, let limit):
            "a payload of \(bytes) bytes is over the limit of \(limit); ask for oversized payloads if that is wanted"
        case .payloadSizesOutOfOrder(let p50, let p99, let max):
            "payload sizes must rise: p50 is \(p50), p99 is \(p99), max is \(max)"
        case .limitOutOfRange(let bytes):
            "a payload limit of \(bytes) bytes is asked for; \(PayloadLimit.accepted.lowerBound) to "
                + "\(PayloadLimit.accepted.upperBound) are accepted"
        case .invalidJSON(let file, _, let line, let column):
            "\(file):\(line):\(column): not valid JSON here; a payload is one JSON object"
        case .unknownField(let file, let name, _, let line, let column):
            "\(file):\(line):\(column): unknown field {{\(name)}}; accepted are "
                + TemplateField.allCases.map { "{{\($0.name)}}" }.joined(separator: " ")
        case .unterminatedField(let file, _, let line, let column):
            "\(file):\(line):\(column): {{ without its }}"
        case .badArrivalTime(let file, let line, let found):
            "\(file):\(line): \"\(found)\" is no time; a line is one time from the start, such as 12ms or 1.5 (seconds)"
        case .fallingArrivalTime(let file, let line):
            "\(file):\(line): the time is before the one above it; times must not fall"
        case .tooManyArrivalTimes(let file): "\(file): more than \(ArrivalTimes.limit) times are not read"
        case .noArrivalTimes(let file): "\(file): no times in it; one line for each operation is accepted"
        }
    }
}
