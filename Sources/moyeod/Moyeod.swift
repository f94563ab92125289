@main struct Moyeod { static func main() {} }
