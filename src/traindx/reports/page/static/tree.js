// Turns dotted names into a tree of modules, and the tree into visible rows. A closed group stands for its leaves.

const MOST_OPEN = 40; // at most this many rows are visible at first

function treeOf(names) {
  const root = { label: "", path: "", children: new Map(), leaves: [] };
  names.forEach((name, index) => {
    let node = root;
    const parts = name.split(".");
    parts.forEach((part, depth) => {
      node.leaves.push(index);
      const key = depth === parts.length - 1 ? `leaf ${part} ${index}` : part;
      if (!node.children.has(key))
        node.children.set(key, {
          label: part,
          path: parts.slice(0, depth + 1).join("."),
          children: new Map(),
          leaves: [],
          index: -1,
        });
      node = node.children.get(key);
    });
    node.index = index;
    node.leaves.push(index);
  });
  return joined(root);
}

// Merges a group that has one child with that child: layer1.conv.weight.
function joined(node) {
  const children = [...node.children.values()].map(joined);
  if (children.length === 1 && node.path && node.index < 0)
    return { ...children[0], label: `${node.label}.${children[0].label}` };
  return { ...node, children };
}

// The groups that are open at first: level by level, as long as the rows fit.
function opened(root) {
  const open = new Set();
  let level = root.children.filter((child) => child.children.length),
    rows = root.children.length;
  while (level.length) {
    const more = level.reduce((sum, node) => sum + node.children.length, 0);
    if (rows + more > MOST_OPEN) break;
    rows += more;
    for (const node of level) open.add(node.path);
    level = level.flatMap((node) => node.children.filter((child) => child.children.length));
  }
  return open;
}

function rowsOf(root, open) {
  const rows = [];
  const visit = (node, depth) => {
    rows.push({ node, depth, leaves: node.leaves });
    if (node.children.length && open.has(node.path)) for (const child of node.children) visit(child, depth + 1);
  };
  for (const child of root.children) visit(child, 0);
  return rows;
}
