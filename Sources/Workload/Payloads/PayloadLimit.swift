/// The largest payload that a gateway of some era takes.
///
/// Sources: `LegacyNotificationFormat.html` and `BinaryProviderAPI.html` (Apple archive); "Sending notification requests
/// to APNs" and "Sending broadcast push notification requests to APNs" (Apple documentation).
public enum PayloadLimit {
    /// Commands 0 and 1 until 2014.
    public static let early = 256
    /// The binary interface from autumn 2014; what this tool assumes unless told otherwise.
    public static let binary = 2_048
    /// The HTTP/2 provider API.
    public static let http2 = 4_096
    /// Voice-over-IP notifications and broadcasts over HTTP/2.
    public static let voip = 5_120
    /// Limits that can be asked for; the binary formats carry a length of 16 bits.
    public static let accepted = 64...60_000
}
