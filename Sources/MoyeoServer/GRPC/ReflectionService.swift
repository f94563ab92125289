import GRPCCore
import GRPCServerTransport
import MoyeoAPI
import WireFormat

/// gRPC server reflection (grpc/reflection/v1/reflection.proto), by which grpcurl, Postman and others find
/// the calls and their messages. What it tells is `proto/moyeo/v1`, which is public, so that nobody is
/// asked who they are; of the services it lists those of moyeo.v1, which it can describe.
///
/// The older v1alpha has the same bytes under another name.
struct ReflectionService: Sendable {
  static let services = [
    "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
  ]
  /// Names are shorter than this; the request is given back in its answer.
  static let maximumRequestBytes = 4096

  let shutdown: ShutdownSignal

  func registerMethods(with router: inout RPCRouter<GRPCFrontend.Transport>) {
    let shutdown = shutdown
    for service in Self.services {
      router.registerHandler(
        forMethod: MethodDescriptor(
          fullyQualifiedService: service, method: "ServerReflectionInfo"),
        deserializer: BytesDeserializer(), serializer: BytesSerializer()
      ) { request, _ in
        let messages = request.messages
        return StreamingServerResponse { writer in
          try await untilShutdown(shutdown) {
            for try await message in messages {
              try await writer.write(try Self.answer(to: message))
            }
          }
          return [:]
        }
      }
    }
  }

  /// What a request asks for, with the numbers of the protocol.
  private enum Question {
    case file(name: String)
    case symbol(name: String)
    case extensionOf
    case extensions(ofType: String)
    case services
  }

  /// The encoded answer to an encoded request.
  ///
  /// - Throws: `RPCError` for bytes that are no request.
  static func answer(to request: [UInt8]) throws(RPCError) -> [UInt8] {
    guard request.count <= maximumRequestBytes else {
      throw RPCError(
        code: .invalidArgument,
        message: "a request of reflection has at most \(maximumRequestBytes) bytes")
    }
    guard let (host, question) = request.withUnsafeBytes(read) else {
      throw RPCError(code: .invalidArgument, message: "the request of reflection cannot be read")
    }
    var answer = ProtobufWriter()
    answer.string(1, host)
    answer.embedded(2, request)
    let files = DescriptorFiles.all
    switch question {
    case .file(let name)?:
      write(files.file(named: name), "no file \(quoted(name))", to: &answer)
    case .symbol(let name)?:
      write(files.file(declaring: name), "no symbol \(quoted(name))", to: &answer)
    case .extensions(let type)? where files.hasMessage(type):
      answer.message(5) { $0.string(1, type) }
    case .extensions(let type)?:
      refuse(.notFound, "no message \(quoted(type))", to: &answer)
    case .extensionOf?:
      refuse(.notFound, "no message has extensions here", to: &answer)
    case .services?:
      answer.message(6) { list in
        for name in files.services { list.message(1) { $0.string(1, name) } }
      }
    case nil:
      refuse(.invalidArgument, "the request asks for nothing that is known here", to: &answer)
    }
    return answer.bytes
  }

  /// - Returns: The host that is named and the question, of several the last; nil for damaged bytes.
  private static func read(_ bytes: UnsafeRawBufferPointer) -> (String, Question?)? {
    var host = ""
    var question: Question?
    var reader = ProtobufReader(bytes)
    while let field = reader.nextField() {
      guard field.wireType == 2 else { continue }
      guard field.number != 5 else {
        question = .extensionOf
        continue
      }
      guard let text = String(validating: field.bytes, as: UTF8.self) else { return nil }
      switch field.number {
      case 1: host = text
      case 3: question = .file(name: text)
      case 4: question = .symbol(name: text)
      case 6: question = .extensions(ofType: text)
      case 7: question = .services
      default: break
      }
    }
    return reader.isIntact ? (host, question) : nil
  }

  private static func write(
    _ file: [UInt8]?, _ refusal: String, to answer: inout ProtobufWriter
  ) {
    guard let file else { return refuse(.notFound, refusal, to: &answer) }
    answer.message(4) { $0.embedded(1, file) }
  }

  private static func refuse(
    _ code: RPCError.Code, _ message: String, to answer: inout ProtobufWriter
  ) {
    answer.message(7) { refusal in
      refusal.int32(1, code.rawValue)
      refusal.string(2, message)
    }
  }
}
