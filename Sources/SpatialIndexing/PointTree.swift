import GeoMath
import ObjectModel

/// What the tree keeps of one object: 32 bytes, half a cache line.
struct Slot: BitwiseCopyable {
  /// The latitude in degrees, exactly as reported.
  var latitude: Double
  var longitude: Double
  /// The times of observation and expiry, packed by ``ReportTimes``.
  var times: UInt64
  /// `block << 3 | lane` of the live object; ``vacant`` when the slot is free.
  var location: UInt32
  /// Counts the objects that have left the slot. A free slot has the next free slot in `times`.
  var generation: UInt32

  static let vacant = UInt32.max
}

/// Up to eight points as a structure of arrays: two cache lines, of which a move that stays in
/// its leaf writes the first and a search by place alone reads only the first.
struct PointBlock: BitwiseCopyable {
  var x: SIMD8<UInt32>
  var y: SIMD8<UInt32>
  var slot: SIMD8<UInt32>
  /// The tag signatures, as ``TagDirectory`` gives them.
  var signature: SIMD8<UInt32>

  /// Writes a lane's coordinates. It writes scalars, because storing into a vector reads and writes
  /// all of it.
  @inline(__always)
  static func setPoint(_ block: UnsafeMutablePointer<PointBlock>, _ lane: Int, _ p: MercatorPoint) {
    let words = UnsafeMutableRawPointer(block)
    unsafe words.storeBytes(of: p.x, toByteOffset: lane * 4, as: UInt32.self)
    unsafe words.storeBytes(of: p.y, toByteOffset: 32 + lane * 4, as: UInt32.self)
  }

  /// Reads a lane's coordinates, also as scalars.
  @inline(__always)
  static func point(_ block: UnsafeMutablePointer<PointBlock>, _ lane: Int) -> MercatorPoint {
    let words = UnsafeRawPointer(block)
    return unsafe MercatorPoint(
      x: words.load(fromByteOffset: lane * 4, as: UInt32.self),
      y: words.load(fromByteOffset: 32 + lane * 4, as: UInt32.self))
  }

  /// Returns the slots of a block's lanes.
  @inline(__always)
  static func slots(_ block: UnsafeMutablePointer<PointBlock>) -> UnsafePointer<UInt32> {
    unsafe UnsafeRawPointer(block).assumingMemoryBound(to: UInt32.self) + 16
  }

  /// Writes all of a lane.
  @inline(__always)
  static func set(
    _ block: UnsafeMutablePointer<PointBlock>, _ lane: Int, x: UInt32, y: UInt32, slot: UInt32,
    signature: UInt32
  ) {
    let words = UnsafeMutableRawPointer(block)
    unsafe words.storeBytes(of: x, toByteOffset: lane * 4, as: UInt32.self)
    unsafe words.storeBytes(of: y, toByteOffset: 32 + lane * 4, as: UInt32.self)
    unsafe words.storeBytes(of: slot, toByteOffset: 64 + lane * 4, as: UInt32.self)
    unsafe words.storeBytes(of: signature, toByteOffset: 96 + lane * 4, as: UInt32.self)
  }
}

/// Stands beside each block: the leaf that owns it, and the next block of a coincident leaf or of
/// the free list.
struct BlockLink: BitwiseCopyable {
  /// `node << 6 | level`.
  var owner: UInt32
  var next: UInt32
}

/// A node of the quadtree, 32 bytes. The four children of a node stand in a row, in Morton order.
struct TreeNode: BitwiseCopyable {
  /// The first child of an inner node. A leaf has its blocks here and in the next three fields,
  /// filled in order. A coincident leaf has the head of a chain of blocks here, of which only the
  /// head may be partly filled.
  var first: UInt32
  var second: UInt32
  var third: UInt32
  /// The fourth block of a leaf; ``TreeNode/inner`` marks an inner node.
  var fourth: UInt32
  /// The number of points beneath.
  var count: UInt32
  /// A superset of the signatures beneath.
  var signature: UInt32
  /// A lower bound of the expiry ticks beneath.
  var earliest: UInt32
  /// `parent << 6 | level`.
  var link: UInt32

  static let inner = UInt32.max

  @inline(__always) var isInner: Bool { fourth == Self.inner }
  @inline(__always) var level: UInt32 { link & 63 }
  @inline(__always) var parent: UInt32 { link >> 6 }
}

/// An adaptive quadtree over Mercator fixed point: leaves split above ``leafCapacity`` points and
/// merge at ``mergeLimit``, so that a search finds leaves of similar size wherever it looks.
///
///     node 0 is the root (level 0, the world); a node of level L spans 2^(32 - L) units
///     inner  -> 4 children           leaf -> up to 4 blocks of 8 points
///     level 32 is one unit square: a *coincident leaf*, a chain of blocks with no bound
///
/// A point is found by its slot's `location`; blocks know their leaf, and nodes their parent. A
/// move climbs only to the common ancestor of its leaves.
@safe struct PointTree: ~Copyable {
  static let leafCapacity: UInt32 = 32
  static let mergeLimit: UInt32 = 14

  let slots: UnsafeMutablePointer<Slot>
  var nodes: VirtualArray<TreeNode>
  var blocks: VirtualArray<PointBlock>
  var links: VirtualArray<BlockLink>
  private(set) var nodeEnd: UInt32 = 4
  private(set) var blockEnd: UInt32 = 0
  private var freeGroup = UInt32.max
  private var freeBlock = UInt32.max
  private(set) var freeGroupCount = 0
  private(set) var freeBlockCount = 0

  init(slots: UnsafeMutablePointer<Slot>, maximumCount: Int, in space: AddressSpace) {
    unsafe self.slots = unsafe slots
    nodes = VirtualArray(maximumCount: Self.nodeRoom(maximumCount), in: space)
    blocks = VirtualArray(maximumCount: Self.blockRoom(maximumCount), in: space)
    links = VirtualArray(maximumCount: Self.blockRoom(maximumCount), in: space)
    nodes.ensure(count: 4)
    nodes[0] = Self.emptyLeaf(link: 0)
  }

  /// Returns the number of nodes to reserve. In the worst case 15 points, one more than are merged,
  /// are at the end of a path of 32 inner nodes whose other children are empty: 128 nodes for 15
  /// points.
  private static func nodeRoom(_ maximumCount: Int) -> Int { 9 * maximumCount + 4_096 }

  /// Returns the number of blocks to reserve. In the worst case each point is alone in its leaf; a
  /// few more are in use while a leaf splits.
  private static func blockRoom(_ maximumCount: Int) -> Int { maximumCount + 4_096 }

  /// Returns the bytes of address space that a tree takes.
  static func addressSpace(_ maximumCount: Int) -> Int {
    VirtualArray<TreeNode>.addressSpace(nodeRoom(maximumCount))
      + VirtualArray<PointBlock>.addressSpace(blockRoom(maximumCount))
      + VirtualArray<BlockLink>.addressSpace(blockRoom(maximumCount))
  }

  var count: Int { Int(nodes[0].count) }

  static func emptyLeaf(link: UInt32) -> TreeNode {
    TreeNode(
      first: .max, second: 0, third: 0, fourth: 0, count: 0, signature: 0, earliest: .max,
      link: link)
  }

  // MARK: Inserting and removing

  /// Adds a point and sets its slot's location. Returns the leaf.
  mutating func insert(
    slot: UInt32, at point: MercatorPoint, signature: UInt32, tick: UInt32
  ) -> UInt32 {
    descend(from: 0, slot: slot, point: point, signature: signature, tick: tick)
  }

  /// Removes the point at a location.
  ///
  /// - Complexity: O(depth).
  mutating func remove(location: UInt32) {
    let (leaf, signature) = takeOut(location: location)
    if signature != 0 { refreshSignature(leaf: leaf) }
    var node = leaf
    while node != 0 {
      node = nodes[node].parent
      unsafe nodes.pointer(node).pointee.count -= 1
    }
    if leaf != 0 { merge(from: nodes[leaf].parent) }
  }

  /// Moves the point of a slot to another place.
  ///
  /// - Returns: The leaf that the point is in now.
  /// - Complexity: O(1) while the point stays in its leaf, else O(levels to the common ancestor).
  mutating func move(slot: UInt32, to point: MercatorPoint, tick: UInt32) -> UInt32 {
    let location = unsafe slots[Int(slot)].location
    let block = unsafe blocks.pointer(location >> 3)
    let lane = Int(location & 7)
    let old = unsafe MercatorPoint(x: block.pointee.x[lane], y: block.pointee.y[lane])
    let difference = (old.x ^ point.x) | (old.y ^ point.y)
    let owner = links[location >> 3].owner
    let common = UInt32(difference.leadingZeroBitCount)
    if common >= owner & 63 {
      unsafe PointBlock.setPoint(block, lane, point)
      return owner >> 6
    }
    let signature = unsafe block.pointee.signature[lane]
    let (leaf, _) = takeOut(location: location)
    var node = leaf
    repeat {
      node = nodes[node].parent
      unsafe nodes.pointer(node).pointee.count -= 1
    } while nodes[node].level > common
    let parent = nodes[leaf].parent
    let target = descend(from: node, slot: slot, point: point, signature: signature, tick: tick)
    if signature != 0 { refreshSignature(leaf: leaf) }
    // The target is merged away only when it was a small coincident leaf.
    merge(from: parent)
    return target
  }

  /// Descends from a node to the leaf of a point and appends the point there. Returns the leaf.
  @inline(__always)
  private mutating func descend(
    from start: UInt32, slot: UInt32, point: MercatorPoint, signature: UInt32, tick: UInt32
  ) -> UInt32 {
    var index = start
    while true {
      let node = unsafe nodes.pointer(index)
      if unsafe !node.pointee.isInner {
        let level = unsafe node.pointee.level
        guard unsafe node.pointee.count == Self.leafCapacity && level < 32 else { break }
        split(index)
      }
      unsafe node.pointee.count += 1
      unsafe node.pointee.signature |= signature
      if unsafe tick < node.pointee.earliest { unsafe node.pointee.earliest = tick }
      index = unsafe node.pointee.first + Self.quadrant(point, level: node.pointee.level)
    }
    append(to: index, x: point.x, y: point.y, slot: slot, signature: signature)
    let node = unsafe nodes.pointer(index)
    if unsafe tick < node.pointee.earliest { unsafe node.pointee.earliest = tick }
    return index
  }

  /// Returns the smallest node around a point that has at least so many points, the root if none
  /// has. It looks at no node below a level.
  func smallest(
    around point: MercatorPoint, holding wanted: UInt32, downTo level: UInt32 = 32
  ) -> UInt32 {
    var index: UInt32 = 0
    while nodes[index].isInner && nodes[index].level < level {
      let child = nodes[index].first + Self.quadrant(point, level: nodes[index].level)
      guard nodes[child].count >= wanted else { break }
      index = child
    }
    return index
  }

  /// Returns which child of a node at a level holds a point, in Morton order.
  @inline(__always)
  static func quadrant(_ point: MercatorPoint, level: UInt32) -> UInt32 {
    let shift = 31 &- level
    return ((point.x &>> shift) & 1) | ((point.y &>> shift) & 1) &<< 1
  }

  @inline(__always)
  private mutating func append(
    to leaf: UInt32, x: UInt32, y: UInt32, slot: UInt32, signature: UInt32
  ) {
    let node = unsafe nodes.pointer(leaf)
    let count = unsafe node.pointee.count
    let lane = Int(count & 7)
    let block: UInt32
    if lane == 0 {
      block = unsafe makeBlock(owner: leaf << 6 | node.pointee.level)
      if unsafe node.pointee.level == 32 {
        unsafe links.pointer(block).pointee.next = unsafe node.pointee.first
        unsafe node.pointee.first = block
      } else {
        setBlock(of: leaf, Int(count >> 3), block)
      }
    } else {
      block =
        unsafe node.pointee.level == 32 ? node.pointee.first : self.block(of: leaf, Int(count >> 3))
    }
    let p = unsafe blocks.pointer(block)
    unsafe PointBlock.set(p, lane, x: x, y: y, slot: slot, signature: signature)
    unsafe node.pointee.count = count + 1
    unsafe node.pointee.signature |= signature
    unsafe slots[Int(slot)].location = block << 3 | UInt32(lane)
  }

  /// Removes a point from its leaf, whose last point takes the place. The leaf's signature is left
  /// as it is: the caller refreshes it when the point has its new place.
  ///
  /// - Returns: The leaf and the point's signature.
  @inline(__always)
  private mutating func takeOut(location: UInt32) -> (leaf: UInt32, signature: UInt32) {
    let hole = unsafe blocks.pointer(location >> 3)
    let lane = Int(location & 7)
    let signature = unsafe hole.pointee.signature[lane]
    let leaf = links[location >> 3].owner >> 6
    let node = unsafe nodes.pointer(leaf)
    let last = unsafe node.pointee.count - 1
    let isCoincident = unsafe node.pointee.level == 32
    let lastBlock = unsafe isCoincident ? node.pointee.first : block(of: leaf, Int(last >> 3))
    let lastLane = Int(last & 7)
    if lastBlock << 3 | UInt32(lastLane) != location {
      let source = unsafe blocks.pointer(lastBlock)
      let moved = unsafe source.pointee.slot[lastLane]
      unsafe PointBlock.set(
        hole, lane, x: source.pointee.x[lastLane], y: source.pointee.y[lastLane], slot: moved,
        signature: source.pointee.signature[lastLane])
      unsafe slots[Int(moved)].location = location
    }
    unsafe node.pointee.count = last
    if lastLane == 0 {
      if isCoincident { unsafe node.pointee.first = links[lastBlock].next }
      discardBlock(lastBlock)
    }
    if last == 0 { unsafe node.pointee.earliest = .max }
    return (leaf, signature)
  }

  // MARK: Splitting and merging

  private mutating func split(_ index: UInt32) {
    let old = nodes[index]
    let level = old.level
    let group = makeGroup(parent: index, level: level + 1)
    let earliest = old.earliest
    for i in 0..<Int((old.count + 7) / 8) {
      let id = block(of: index, i)
      let points = blocks[id]
      for lane in 0..<min(8, Int(old.count) - i * 8) {
        let point = MercatorPoint(x: points.x[lane], y: points.y[lane])
        append(
          to: group + Self.quadrant(point, level: level), x: point.x, y: point.y,
          slot: points.slot[lane], signature: points.signature[lane])
      }
      discardBlock(id)
    }
    for child in group..<group + 4 where nodes[child].count > 0 {
      unsafe nodes.pointer(child).pointee.earliest = earliest
    }
    let node = unsafe nodes.pointer(index)
    unsafe node.pointee.first = group
    unsafe node.pointee.fourth = TreeNode.inner
  }

  /// Turns an inner node with few points back into a leaf, and its ancestors likewise.
  @inline(__always)
  private mutating func merge(from start: UInt32) {
    var index = start
    while nodes[index].count <= Self.mergeLimit && nodes[index].isInner {
      guard mergeChildren(of: index) else { return }
      guard index != 0 else { return }
      index = nodes[index].parent
    }
  }

  private mutating func mergeChildren(of index: UInt32) -> Bool {
    let old = nodes[index]
    let group = old.first
    for child in group..<group + 4 where nodes[child].isInner { return false }
    var leaf = Self.emptyLeaf(link: old.link)
    for child in group..<group + 4 { leaf.earliest = min(leaf.earliest, nodes[child].earliest) }
    nodes[index] = leaf
    for child in group..<group + 4 {
      let node = nodes[child]
      var left = Int(node.count)
      var id = node.first
      var i = 0
      while left > 0 {
        let isCoincident = node.level == 32
        if !isCoincident { id = block(of: child, i) }
        let lanes = isCoincident && left & 7 != 0 ? left & 7 : min(8, left)
        let points = blocks[id]
        let next = links[id].next
        discardBlock(id)
        for lane in 0..<lanes {
          append(
            to: index, x: points.x[lane], y: points.y[lane], slot: points.slot[lane],
            signature: points.signature[lane])
        }
        left -= lanes
        id = next
        i += 1
      }
    }
    discardGroup(group)
    return true
  }

  // MARK: Summaries

  /// Recomputes a leaf's signature and, where it has lost bits, its ancestors'.
  private func refreshSignature(leaf: UInt32) {
    let node = unsafe nodes.pointer(leaf)
    // A coincident leaf keeps its signature: it may have too many points to look at for one.
    guard unsafe node.pointee.count <= Self.leafCapacity else { return }
    var union: UInt32 = 0
    forEachBlock(of: leaf) { id, lanes in
      let signatures = unsafe blocks.pointer(id).pointee.signature
      for lane in 0..<lanes { union |= signatures[lane] }
    }
    guard unsafe union != node.pointee.signature else { return }
    unsafe node.pointee.signature = union
    var index = leaf
    while index != 0 {
      index = nodes[index].parent
      let parent = unsafe nodes.pointer(index)
      let group = unsafe parent.pointee.first
      let sum =
        nodes[group].signature | nodes[group + 1].signature | nodes[group + 2].signature
        | nodes[group + 3].signature
      if unsafe parent.pointee.signature == sum { return }
      unsafe parent.pointee.signature = sum
    }
  }

  /// Gives the point at a location another signature.
  func setSignature(location: UInt32, _ signature: UInt32) {
    let lane = Int(location & 7)
    let block = unsafe blocks.pointer(location >> 3)
    let old = unsafe block.pointee.signature[lane]
    guard old != signature else { return }
    unsafe block.pointee.signature[lane] = signature
    let leaf = links[location >> 3].owner >> 6
    var index = leaf
    while nodes[index].signature & signature != signature {
      unsafe nodes.pointer(index).pointee.signature |= signature
      guard index != 0 else { break }
      index = nodes[index].parent
    }
    if old & ~signature != 0 { refreshSignature(leaf: leaf) }
  }

  /// Lowers the expiry bounds above a location to a tick, where they are later.
  func lowerEarliest(location: UInt32, to tick: UInt32) {
    var index = links[location >> 3].owner >> 6
    while nodes[index].earliest > tick {
      unsafe nodes.pointer(index).pointee.earliest = tick
      guard index != 0 else { return }
      index = nodes[index].parent
    }
  }

  // MARK: Blocks and nodes

  /// Returns block `i` of a leaf that is not a coincident leaf.
  @inline(__always)
  func block(of leaf: UInt32, _ i: Int) -> UInt32 {
    assert(i < 4)
    return unsafe UnsafeRawPointer(nodes.pointer(leaf)).load(fromByteOffset: i * 4, as: UInt32.self)
  }

  @inline(__always)
  private func setBlock(of leaf: UInt32, _ i: Int, _ block: UInt32) {
    assert(i < 4)
    unsafe UnsafeMutableRawPointer(nodes.pointer(leaf))
      .storeBytes(of: block, toByteOffset: i * 4, as: UInt32.self)
  }

  /// Visits the blocks of a leaf, each with its number of lanes in use.
  @inline(__always)
  func forEachBlock(of leaf: UInt32, _ body: (UInt32, Int) -> Void) {
    let node = nodes[leaf]
    if node.level == 32 {
      var left = Int(node.count)
      var id = node.first
      while left > 0 {
        let lanes = left & 7 == 0 ? 8 : left & 7
        body(id, lanes)
        left -= lanes
        id = links[id].next
      }
    } else {
      for i in 0..<Int((node.count + 7) / 8) {
        body(block(of: leaf, i), min(8, Int(node.count) - i * 8))
      }
    }
  }

  @inline(__always)
  private mutating func makeBlock(owner: UInt32) -> UInt32 {
    if freeBlock != .max {
      let id = freeBlock
      freeBlock = links[id].next
      freeBlockCount -= 1
      links[id] = BlockLink(owner: owner, next: .max)
      return id
    }
    let id = blockEnd
    blockEnd += 1
    blocks.ensure(count: Int(blockEnd))
    links.ensure(count: Int(blockEnd))
    links[id] = BlockLink(owner: owner, next: .max)
    return id
  }

  @inline(__always)
  private mutating func discardBlock(_ id: UInt32) {
    links[id] = BlockLink(owner: .max, next: freeBlock)
    freeBlock = id
    freeBlockCount += 1
  }

  private mutating func makeGroup(parent: UInt32, level: UInt32) -> UInt32 {
    let group: UInt32
    if freeGroup != .max {
      group = freeGroup
      freeGroup = nodes[group].first
      freeGroupCount -= 1
    } else {
      group = nodeEnd
      nodeEnd += 4
      nodes.ensure(count: Int(nodeEnd))
    }
    for child in group..<group + 4 { nodes[child] = Self.emptyLeaf(link: parent << 6 | level) }
    return group
  }

  private mutating func discardGroup(_ group: UInt32) {
    unsafe nodes.pointer(group).pointee.first = freeGroup
    freeGroup = group
    freeGroupCount += 1
  }

  /// Removes everything and gives the memory back to the system.
  mutating func removeAll() {
    blocks.release(0..<Int(blockEnd))
    links.release(0..<Int(blockEnd))
    nodes.release(0..<Int(nodeEnd))
    nodeEnd = 4
    blockEnd = 0
    freeGroup = .max
    freeBlock = .max
    freeGroupCount = 0
    freeBlockCount = 0
    nodes[0] = Self.emptyLeaf(link: 0)
  }
}
