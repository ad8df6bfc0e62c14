import { gapsIn, PRESETS } from '../../src/vscode/configure/presets';
import type { Field, JsonSchema } from '../../src/vscode/settings/fieldKinds';
import { ALL_FIELDS, type Described } from '../../src/vscode/settings/serviceFields';
import { CONFIGURATION_MESSAGES } from '../../src/vscode/texts/configurationTexts';
import packaging from '../package/service.schema.json';

/** The setting, without the prefix. Its texts begin with this. */
const SETTING = 'setting.services';

/** Names a text of the manifest, and keeps it. */
type Name = (key: string, text: string) => string;

/** The schema of an object with these fields, of which settings have no secret. */
function objectSchema(described: Readonly<Record<string, Described>>, one: (name: string, field: Described) => object) {
  const required = Object.entries(described).flatMap(([name, field]) =>
    'isRequired' in field && field.isRequired ? [name] : [],
  );
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(Object.entries(described).map(([name, field]) => [name, one(name, field)])),
  };
}

/** The schema of `service` in a publisher's file. */
function serviceSchema(described = ALL_FIELDS): JsonSchema {
  return objectSchema(described, (_name, field) => {
    const description = field.purpose;
    if ('parts' in field) return { description, ...serviceSchema(field.parts) };
    // What an address has to be like, the builder says itself, and better; and it says each thing once.
    const left = 'enum' in field.schema ? ['type'] : ['pattern'];
    const schema = Object.entries(field.schema).filter(([keyword]) => !left.includes(keyword));
    return { description, ...Object.fromEntries(schema), ...defaultOf(field) };
  });
}

/** The schema of the whole file. */
export const SERVICE_FILE = {
  ...packaging,
  properties: { ...packaging.properties, service: { ...packaging.properties.service, ...serviceSchema() } },
};

function defaultOf({ default: value }: Field<unknown>): object {
  return value === undefined ? {} : { default: value };
}

/** The schema of an element of the setting. */
function elementSchema(name: Name, described = ALL_FIELDS, prefix = SETTING): JsonSchema {
  const ofSettings = Object.entries(described).filter(([, field]) => !('isSecret' in field && field.isSecret));
  return objectSchema(Object.fromEntries(ofSettings), (own, field) => {
    const key = `${prefix}.${own}`;
    const markdownDescription = name(key, field.purpose);
    if ('parts' in field) return { ...elementSchema(name, field.parts, key), markdownDescription };
    const meanings = meaningsOf(field).map(([word, text]) => name(`${key}.${word}`, text));
    return {
      ...field.schema,
      ...('pattern' in field.schema && { patternErrorMessage: '%setting.address.invalid%' }),
      ...(meanings.length > 0 && { markdownEnumDescriptions: meanings }),
      ...defaultOf(field),
      markdownDescription,
    };
  });
}

/** The words that a field can have, with what they mean if that's said. */
export function meaningsOf({ choices = {} }: Field<unknown>): readonly (readonly [word: string, text: string])[] {
  return Object.entries(choices).filter(([, text]) => text !== '');
}

/** What the editor offers to insert: a well-known service, with numbered gaps to fill in. */
function snippet(service: object): object {
  const gaps = gapsIn(service);
  return JSON.parse(
    JSON.stringify(service).replaceAll(
      /YOUR-[A-Z-]*[A-Z]/g,
      (gap) => `\${${gaps.findIndex((one) => one === gap) + 1}:${gap}}`,
    ),
  ) as object;
}

/** The setting as the manifest contributes it, and the texts that it names. */
export function settingsContribution(): {
  readonly setting: JsonSchema;
  readonly texts: Readonly<Record<string, string>>;
} {
  const texts: Record<string, string> = {};
  const name: Name = (key, text) => {
    texts[key] = text;
    return `%${key}%`;
  };
  const items = elementSchema(name);
  const defaultSnippets = PRESETS.map((preset) => ({
    label: name(`${SETTING}.snippets.${preset.name}`, CONFIGURATION_MESSAGES.presets[preset.name]),
    body: snippet(preset.service),
  }));
  return {
    setting: {
      type: 'array',
      scope: 'application',
      default: [],
      markdownDescription: `%${SETTING}%`,
      items: { ...items, defaultSnippets },
    },
    texts,
  };
}
