/// What `moyeod` says of its settings to `moyeo doctor`, as JSON from one program to the other.
package struct SettingsReport: Codable, Hashable, Sendable {
  package var findings: [StoreDoctor.Finding]
  /// Where operators ask; nil: no port for them, or one that is not known before the start.
  package var adminURL: String?
  package var asksWhoCalls = false

  package init(findings: [StoreDoctor.Finding]) { self.findings = findings }
}
