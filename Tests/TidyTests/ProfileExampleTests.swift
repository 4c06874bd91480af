import RunRecords
import Testing

/// Profiles that people are shown must be ones that the program takes.
@Suite struct ProfileExampleTests {
    @Test func `the profile in the README is taken`() throws {
        let document = try #require(PackageTree.file("README.md")).text
        let example = try #require(document.firstMatch(of: /(?s)```js\n(.*?)```/)).1
        let profile = try Profile.read(text: String(example), source: "README.md")
        #expect(!profile.thresholds.isEmpty)
    }

    @Test func `every profile of the package is taken and named for its file`() throws {
        let files = PackageTree.files.filter { $0.path.hasPrefix("profiles/") }
        #expect(files.count >= 3)
        for file in files {
            let profile = try Profile.read(text: file.text, source: file.path)
            #expect(file.name == profile.name + ".json5")
        }
    }
}
