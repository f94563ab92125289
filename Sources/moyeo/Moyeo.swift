@main struct MoyeoCommand { static func main() {} }
