import CFuzzer
import Glibc

// moyeo-fuzz TARGET [libFuzzer's arguments]: feeds one decoder until it traps or time is over.
let names = FuzzTarget.all.map(\.name)
guard CommandLine.arguments.count > 1,
  let target = FuzzTarget.all.first(where: { $0.name == CommandLine.arguments[1] })
else {
  print("usage: moyeo-fuzz TARGET [argument ...]\ntargets: \(names.joined(separator: " "))")
  exit(2)
}
FuzzTarget.chosen = target
// libFuzzer reads what follows the target's name.
var count = CommandLine.argc - 1
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
  CommandLine.unsafeArgv.advanced(by: 1)
exit(
  LLVMFuzzerRunDriver(&count, &arguments) { data, size in
    FuzzTarget.chosen?.feed(UnsafeRawBufferPointer(start: data, count: size))
    return 0
  })
