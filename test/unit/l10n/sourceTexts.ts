import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** The project's folder. Compiled code is four folders below it. */
export const ROOT = path.resolve(__dirname, '..', '..', '..', '..');

/** A call that asks for a text in the person's language. */
export interface TextCall {
  /** File and line. */
  readonly where: string;
  /** `undefined` where it is not written out in the call, so that no tool can find it. */
  readonly message: string | undefined;
  readonly comment: readonly string[];
}

/** The sources of the extension, by their path. */
export function sources(): ReadonlyMap<string, string> {
  const folder = path.join(ROOT, 'src');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return new Map(names.map((name) => [path.join('src', name), readFileSync(path.join(folder, name), 'utf8')]));
}

/** All calls of `l10n.t` in the sources. */
export function textCalls(): readonly TextCall[] {
  return [...sources()].flatMap(([name, text]) => {
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
    const found: TextCall[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && /(?:^|\.)l10n\.t$/.test(node.expression.getText(file))) {
        const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
        found.push({ where: `${name}:${line}`, ...textOf(node.arguments[0]) });
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
  });
}

/** The name under which the editor looks a text up. */
export function keyOf(message: string, comment: readonly string[]): string {
  return comment.length === 0 ? message : `${message}/${comment.join('')}`;
}

/** The placeholders of a text, such as `{0}`. */
export function placeholders(message: string): readonly string[] {
  return [...new Set(message.match(/\{\d+\}/g) ?? [])];
}

function textOf(argument: ts.Expression | undefined): Pick<TextCall, 'message' | 'comment'> {
  const unknown = { message: undefined, comment: [] };
  if (argument === undefined) return unknown;
  if (ts.isStringLiteralLike(argument)) return { message: argument.text, comment: [] };
  if (!ts.isObjectLiteralExpression(argument)) return unknown;
  const message = property(argument, 'message');
  const comment = property(argument, 'comment');
  const comments = comment !== undefined && ts.isArrayLiteralExpression(comment) ? [...comment.elements] : [];
  const written = comments.filter((element) => ts.isStringLiteralLike(element));
  return message !== undefined && ts.isStringLiteralLike(message) && written.length === comments.length
    ? { message: message.text, comment: written.map(({ text }) => text) }
    : unknown;
}

function property(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  const found = object.properties.find((one) => one.name !== undefined && 'text' in one.name && one.name.text === name);
  return found !== undefined && ts.isPropertyAssignment(found) ? found.initializer : undefined;
}
