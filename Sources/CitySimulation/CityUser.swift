/// Who a simulated person is; it never changes.
public struct CityUser: Hashable, Sendable {
  /// `<city>-user-<number from 1, five digits or more>`, for example `seoul-user-00001`.
  public let id: String
  /// Study topics, at most 8 of 1 to 8 characters, in no particular order; some have none.
  public let tags: [String]
  /// What policies of parties look at.
  public let gender: Gender
  /// 1 (beginner, most of them) to 10.
  public let level: Int

  /// As written in attributes.
  public enum Gender: String, Hashable, Sendable, CaseIterable {
    case female, male
  }
}

/// Topics people study, with the share of people who carry each.
public enum StudyTopics {
  /// Name and probability; drawn independently for each person.
  ///
  /// Names hold at most 8 characters, as clients of the study dialect allow.
  public static let frequencies: [(tag: String, probability: Double)] = [
    ("영어회화", 0.10), ("알고리즘", 0.10), ("swift", 0.10),
    ("python", 0.06), ("자바", 0.05), ("토익", 0.05), ("취업준비", 0.05), ("독서", 0.04),
    ("ios", 0.03), ("android", 0.03), ("kotlin", 0.03), ("코딩테스트", 0.03), ("ux", 0.02),
    ("일본어", 0.02), ("공무원", 0.02),
    ("rust", 0.01), ("go", 0.01), ("디자인", 0.01), ("데이터분석", 0.01), ("cs", 0.01),
    ("중국어", 0.01), ("회계", 0.01), ("면접", 0.01), ("블로그", 0.01),
    ("수학", 0.005), ("물리", 0.005), ("haskell", 0.005), ("스페인어", 0.005),
    ("천문학", 0.001), ("라틴어", 0.001), ("erlang", 0.001), ("바둑", 0.001), ("서예", 0.001),
  ]

  /// Most tags a person carries.
  public static let maximumPerUser = 8
}

extension CitySimulation {
  /// The person with an index. - Precondition: 0 ..< users.
  /// - Complexity: O(topics); nothing is kept.
  public func user(at index: Int) -> CityUser {
    precondition((0..<users).contains(index), "no user \(index)")
    var draws = SeededDraws(seed: seed, .tags, Int64(index))
    var tags: [String] = []
    for (tag, probability) in StudyTopics.frequencies where draws.unit() < probability {
      if tags.count < StudyTopics.maximumPerUser { tags.append(tag) }
    }
    let gender: CityUser.Gender = draws.below(2) == 0 ? .female : .male
    // The square pulls towards 1.
    let skew = draws.unit()
    return CityUser(
      id: userId(at: index), tags: tags, gender: gender, level: 1 + Int(skew * skew * 10))
  }

  /// The id of the person with an index, without the rest.
  public func userId(at index: Int) -> String { numberedId("user", index) }

  func numberedId(_ noun: String, _ index: Int) -> String {
    let digits = String(index + 1)
    let zeros = String(repeating: "0", count: max(0, 5 - digits.utf8.count))
    return "\(city.name)-\(noun)-\(zeros)\(digits)"
  }
}
