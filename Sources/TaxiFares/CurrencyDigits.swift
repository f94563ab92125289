/// How many digits of a currency stand behind its point (ISO 4217, List One).
public enum CurrencyDigits {
  /// The digits of the minor unit of a currency; 2 for one that the list gives no other number for.
  public static func minorUnits(of currency: String) -> Int {
    switch currency {
    case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND",
      "VUV", "XAF", "XOF", "XPF":
      0
    case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND": 3
    case "CLF", "UYW": 4
    default: 2
    }
  }
}
