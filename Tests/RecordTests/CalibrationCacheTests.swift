import Testing

@testable import RunRecords

@Suite struct CalibrationCacheTests {
    private let scope = CalibrationCache.Scope(machine: sampleRecord().machine, boot: "b-1", version: "1.0")

    private var calibration: CalibrationRecord {
        var record = CalibrationRecord()
        record.pipeBytesPerSecond = 1_400_000_000
        record.measuredAt = "2026-01-01T00:00:00Z"
        return record
    }

    @Test func `a calibration is kept, in folders that are made for it`() throws {
        let folder = try TemporaryFolder()
        let cache = CalibrationCache(folder: folder.path("new/cache"))
        #expect(cache.read(for: scope) == nil)
        try cache.write(calibration, for: scope)
        #expect(cache.read(for: scope) == calibration)
        var later = calibration
        later.pipeBytesPerSecond += 1
        try cache.write(later, for: scope)
        #expect(cache.read(for: scope) == later)
    }

    @Test func `another machine, boot or program has none`() throws {
        let folder = try TemporaryFolder()
        let cache = CalibrationCache(folder: folder.path("."))
        try cache.write(calibration, for: scope)
        var others = [scope, scope, scope]
        others[0].machine.cores += 1
        others[1].boot = "b-2"
        others[2].version = "1.1"
        for other in others { #expect(cache.read(for: other) == nil) }
    }

    @Test(arguments: ["", "{", "[]", "{\"scope\":1}"]) func `a file of something else counts as none`(text: String)
        throws
    {
        let folder = try TemporaryFolder()
        try folder.write("calibration.json", text)
        #expect(CalibrationCache(folder: folder.path(".")).read(for: scope) == nil)
    }

    @Test func `a folder that cannot be made is an error with its path`() {
        let cache = CalibrationCache(folder: "/proc/none/such")
        #expect(throws: RecordError.self) { try cache.write(calibration, for: scope) }
    }

    @Test func `the folder follows the environment`() {
        #expect(CalibrationCache.folder(environment: ["XDG_CACHE_HOME": "/c", "HOME": "/h"]) == "/c/pushbench")
        #expect(CalibrationCache.folder(environment: ["XDG_CACHE_HOME": "c", "HOME": "/h"]) == "/h/.cache/pushbench")
        #expect(CalibrationCache.folder(environment: ["HOME": "/h"]) == "/h/.cache/pushbench")
        #expect(
            CalibrationCache.folder(environment: ["HOME": ""]) == nil
                && CalibrationCache.folder(environment: [:]) == nil)
    }
}
