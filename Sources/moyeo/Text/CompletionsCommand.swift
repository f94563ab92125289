import ArgumentParser

/// `moyeo completions bash`.
struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print the script with which a shell completes moyeo's commands and options.",
    discussion: """
      bash: moyeo completions bash > ~/.local/share/bash-completion/completions/moyeo
      zsh:  moyeo completions zsh > a folder of $fpath/_moyeo
      fish: moyeo completions fish > ~/.config/fish/completions/moyeo.fish
      """)

  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish

    fileprivate var completion: CompletionShell {
      switch self {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    }
  }

  @Argument(help: "bash, zsh or fish.")
  var shell: Shell

  func run() throws { print(MoyeoCommand.completionScript(for: shell.completion)) }
}
