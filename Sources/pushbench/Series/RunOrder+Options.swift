import Harness
import RunRecords

extension RunOrder {
    /// The order of a run with the settings of a command line, environment variables included.
    init(_ parsed: ParsedCommand, profile: String, program: String = "/proc/self/exe") {
        self.init(program: program, profile: profile)
        for change in parsed.overrides { add(setting: "\(change.keyPath)=\(change.text)") }
        if let faults = parsed.last("faults") { arguments += ["--faults", faults] }
        for host in parsed.values["allow-host"] ?? [] { arguments += ["--allow-host", host] }
        // What is known of the machine was measured before the first run.
        arguments += ["--calibration", "cached"]
    }

    /// Changes a setting, as `KEY=VALUE`.
    mutating func add(setting: String) { arguments += ["--set", setting] }
}
