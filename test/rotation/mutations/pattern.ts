import ts from 'typescript';

/** Stands for any one expression, statement, or argument in a pattern. */
const ANY = '_';
/** Stands for any further arguments, elements, or properties at the end of a list. */
const REST = '___';

/** A piece of code as a pattern describes it. */
export interface Found {
  readonly node: ts.Node;
  /** What stands where the pattern has names with a dollar sign. */
  readonly captured: ReadonlyMap<string, string>;
}

/**
 * Finds code by its structure: formatting, comments, and parentheses don't matter. The pattern is code itself: an
 * expression, a statement that isn't a block, or a property such as `retryAt: _`. In it, `_` stands for anything, `___` for all that follows
 * in a list, and a name such as `$pauses` for anything whose text the replacement may use.
 */
export function findCode(place: ts.Node, pattern: string): readonly Found[] {
  const wanted = parsePattern(pattern);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    const captured = new Map<string, string>();
    if (!ts.isParenthesizedExpression(node) && matches(node, wanted, captured)) found.push({ node, captured });
    node.forEachChild(visit);
  };
  visit(place);
  return found;
}

function parsePattern(pattern: string): ts.Node {
  if (/^[\w$]+:/.test(pattern)) {
    const object = parsePattern(`{ ${pattern} }`);
    const property = ts.isObjectLiteralExpression(object) ? object.properties[0] : undefined;
    if (property === undefined) throw new Error(`This pattern is no property: ${pattern}`);
    return property;
  }
  const statement = firstStatement(pattern.startsWith('{') ? `(${pattern})` : pattern);
  return ts.isExpressionStatement(statement) ? withoutParentheses(statement.expression) : statement;
}

function firstStatement(code: string): ts.Statement {
  // In an async function, so that `await` and `return` parse.
  const file = ts.createSourceFile('pattern.ts', `async () => { ${code} }`, ts.ScriptTarget.Latest, true);
  const [outer] = file.statements;
  const inner =
    outer !== undefined && ts.isExpressionStatement(outer) && ts.isArrowFunction(outer.expression)
      ? outer.expression.body
      : undefined;
  const statement = inner !== undefined && ts.isBlock(inner) ? inner.statements[0] : undefined;
  if (statement === undefined) throw new Error(`This pattern is no code: ${code}`);
  return statement;
}

function withoutParentheses(node: ts.Node): ts.Node {
  return ts.isParenthesizedExpression(node) ? withoutParentheses(node.expression) : node;
}

function matches(node: ts.Node, pattern: ts.Node, captured: Map<string, string>): boolean {
  const name = wildcardIn(pattern);
  if (name !== undefined) {
    if (name !== ANY) captured.set(name, node.getText());
    return true;
  }
  const [one, other] = [withoutParentheses(node), withoutParentheses(pattern)];
  if (one.kind !== other.kind) return false;
  const [parts, wanted] = [childrenOf(one), childrenOf(other)];
  if (wanted.length === 0) return one.getText() === other.getText();
  const rest = wanted.findIndex((child) => wildcardIn(child) === REST);
  const isLongEnough = rest < 0 ? parts.length === wanted.length : parts.length >= rest;
  return (
    isLongEnough &&
    wanted.slice(0, rest < 0 ? undefined : rest).every((child, index) => {
      const part = parts[index];
      return part !== undefined && matches(part, child, captured);
    })
  );
}

/** The placeholder that this part of a pattern is, as an expression, a statement, or a property. */
function wildcardIn(pattern: ts.Node): string | undefined {
  if (ts.isExpressionStatement(pattern)) return wildcardIn(pattern.expression);
  if (ts.isShorthandPropertyAssignment(pattern)) return wildcardIn(pattern.name);
  if (!ts.isIdentifier(pattern)) return undefined;
  return pattern.text === ANY || pattern.text === REST || pattern.text.startsWith('$') ? pattern.text : undefined;
}

function childrenOf(node: ts.Node): readonly ts.Node[] {
  const children: ts.Node[] = [];
  node.forEachChild((child) => void children.push(child));
  return children;
}
