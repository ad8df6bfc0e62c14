import type { Field, JsonSchema } from '../../src/vscode/settings/fieldKinds';
import { ALL_FIELDS, type Described } from '../../src/vscode/settings/serviceFields';
import { meaningsOf } from './schemas';

/** How wide a line of a comment may be. */
const WIDTH = 120;

/**
 * The type of a service as authors of extensions read it: what the compiler derives from the description is correct, but their
 * editors show it with the whole description.
 */
export function serviceOptionsType(): string {
  const fields = Object.entries(ALL_FIELDS).map(([name, field]) => member(name, field, ''));
  const about =
    'A service and one client of it. The fields are those of `service` in a publisher’s `service.json`, and mean the same as those of the setting of Device Flow Authentication.';
  return `${comment(about, '')}export interface ServiceOptions {\n${fields.join('')}}\n`;
}

function member(name: string, field: Described, before: string): string {
  const indent = `${before}  `;
  const isRequired = 'isRequired' in field && field.isRequired;
  const type =
    'parts' in field
      ? `{\n${Object.entries(field.parts)
          .map(([part, inner]) => member(part, inner, indent))
          .join('')}${indent}}`
      : typeOf(field.schema);
  return `${comment(aboutField(field), indent)}${indent}readonly ${name}${isRequired ? '' : '?'}: ${type};\n`;
}

function aboutField(field: Described): string {
  const only = field.protocol === undefined ? [] : [`Only with the protocol \`${field.protocol}\`.`];
  if ('parts' in field) return [field.purpose, ...only].join(' ');
  const meanings = meaningsOf(field).map(([word, text]) => `\`${word}\`: ${text}`);
  return [field.purpose, ...meanings, ...defaultOf(field), ...only].join(' ');
}

function defaultOf({ default: value }: Field<unknown>): readonly string[] {
  return value === undefined ? [] : [`By default, \`${typeof value === 'string' ? value : JSON.stringify(value)}\`.`];
}

/** The type of what a schema allows. */
function typeOf({ enum: words, type }: JsonSchema): string {
  if (Array.isArray(words)) return words.map((word) => `'${String(word)}'`).join(' | ');
  const types: Readonly<Record<string, string>> = {
    array: 'readonly string[]',
    boolean: 'boolean',
    integer: 'number',
    object: 'Readonly<Record<string, string>>',
    string: 'string',
  };
  return types[String(type)] ?? 'unknown';
}

/** A comment of as many lines as it needs. */
function comment(text: string, indent: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && `${indent} * ${line} ${word}`.length <= WIDTH)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}
