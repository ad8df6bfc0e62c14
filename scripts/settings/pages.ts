import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import manifest from '../../package.json';
import texts from '../../package.nls.json';
import { PRESETS } from '../../src/vscode/configure/presets';
import type { Field } from '../../src/vscode/settings/fieldKinds';
import { ALL_FIELDS, type Described } from '../../src/vscode/settings/serviceFields';
import { ROOT } from '../../host/paths';
import { meaningsOf, settingsContribution } from './schemas';

/** Begins what comes from the description in a document, up to the next heading or comment. */
const TABLE = /(<!-- Written by npm run settings -->\n\n)(?:\|.*\n)+/;

/** The name of the setting. */
const SERVICES = 'deviceFlow.services';

/** All files that come from the description of a service, each with how it's made of what's there. */
export const WRITTEN: Readonly<Record<string, (before: string) => string>> = {
  'package.json': () => json({ ...manifest, contributes: { ...manifest.contributes, configuration: configuration() } }),
  'package.nls.json': () => json(manifestTexts()),
  'docs/settings.md': (before) => before.replace(TABLE, (_, heading: string) => `${heading}${table()}`),
  'docs/services.md': withExamples,
};

/** What's in a file, as the formatter leaves it. */
export async function written(file: string, before: string): Promise<string> {
  const make = WRITTEN[file];
  if (make === undefined) throw new Error(`${file} doesn't come from the description.`);
  const filepath = path.join(ROOT, file);
  return await format(make(before), { ...(await resolveConfig(filepath)), filepath });
}

function json(value: object): string {
  return JSON.stringify(value, undefined, 2);
}

function configuration(): object {
  const { setting } = settingsContribution();
  return { title: manifest.contributes.configuration.title, properties: { [SERVICES]: setting } };
}

/** The texts of the manifest: those of the setting's parts come from the description, and the others stay. */
function manifestTexts(): object {
  const others = Object.entries(texts).filter(([name]) => !name.startsWith('setting.services.'));
  return { ...Object.fromEntries(others), ...settingsContribution().texts };
}

/** The fields of a service as a Markdown table. */
function table(): string {
  const rows = Object.entries(ALL_FIELDS).flatMap(([name, field]) => rowsOf(name, field));
  const head = ['Field', 'Value', 'Default', "What it's for"];
  return [head, head.map(() => '-'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function rowsOf(name: string, field: Described, protocol = field.protocol): readonly (readonly string[])[] {
  if ('parts' in field) {
    const parts = Object.entries(field.parts).flatMap(([part, inner]) => rowsOf(`${name}.${part}`, inner, protocol));
    return [[`\`${name}\``, 'object', '', withProtocol(field.purpose, protocol)], ...parts];
  }
  if (field.isSecret === true) return [];
  return [[`\`${name}\``, valueOf(field), defaultIn(field), withProtocol(meaningOf(field), field.protocol)]];
}

function withProtocol(text: string, protocol: string | undefined): string {
  return protocol === undefined ? text : `${text} Only with the protocol \`${protocol}\`.`;
}

function valueOf({ choices, type }: Field<unknown>): string {
  return choices === undefined
    ? type
    : Object.keys(choices)
        .map((word) => `\`${word}\``)
        .join(', ');
}

function meaningOf(field: Field<unknown>): string {
  return [field.purpose, ...meaningsOf(field).map(([word, text]) => `\`${word}\`: ${text}`)].join(' ');
}

function defaultIn({ default: value, isRequired }: Field<unknown>): string {
  if (isRequired === true) return 'required';
  return value === undefined ? '' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** The page with each example in the place that names it. */
function withExamples(before: string): string {
  return PRESETS.reduce((page, { name, service }) => {
    const place = new RegExp(`(<!-- The example ${name}, written by npm run settings -->\n\n)\`\`\`json\n[^]*?\`\`\``);
    return page.replace(place, (_, heading: string) => `${heading}\`\`\`json\n${json(service)}\n\`\`\``);
  }, before);
}
