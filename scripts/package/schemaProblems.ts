import type { ErrorObject } from 'ajv';
import { asObject, asText, property, valueAt } from '../../src/fields';
import { SERVICE_FILE } from '../settings/schemas';
import { didYouMean, simplified } from '../../src/vscode/settings/mistakes';

/** What people call the types of the schema. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'a list in square brackets',
  boolean: 'true or false',
  object: 'an object in braces',
  string: 'text in quotation marks',
};

/** What the schema tells about a misfit, each only for some keywords. */
interface MisfitDetails {
  readonly additionalProperty?: string;
  readonly allowedValues?: readonly string[];
  readonly missingProperty?: string;
  readonly type?: string;
}

export const WHOLE_FILE = '';

/** All fields that the file can have, each with where it belongs, such as `service.notify.path`. */
const FIELDS = fieldsOf(SERVICE_FILE);

function fieldsOf({ properties = {} }: { readonly properties?: object }, path: readonly string[] = []): string[] {
  return Object.entries(properties).flatMap(([name, inner]: [string, object]) => {
    const place = [...path, name];
    return [place.join('.'), ...fieldsOf(inner, place)];
  });
}

/** Which part of the file doesn't fit the schema, such as `service.notify.method`. */
export function placeOf({ instancePath, params }: ErrorObject): string {
  const { additionalProperty, missingProperty } = params as MisfitDetails;
  const field = additionalProperty ?? missingProperty;
  return [...instancePath.split('/').slice(1), ...(field === undefined ? [] : [field])].join('.');
}

/** Whether a place is this part of the file, or inside of it. */
export function isWithin(part: string, place: string): boolean {
  return `${place}.`.startsWith(`${part}.`);
}

/** What the schema says about a part of the file, in a sentence. */
export function schemaProblem(misfit: ErrorObject, contents: unknown): string {
  const { keyword, message = 'is wrong', params, parentSchema } = misfit;
  const place = placeOf(misfit);
  const name = place === WHOLE_FILE ? 'The file' : place;
  const { additionalProperty, allowedValues, missingProperty, type } = params as MisfitDetails;
  const properties = asObject(parentSchema?.['properties']) ?? {};
  const description = asText(parentSchema?.['description']) ?? '';
  if (additionalProperty !== undefined) {
    return `${name} isn't a known field.${adviceOnUnknown(additionalProperty, Object.keys(properties), contents)}`;
  }
  if (missingProperty !== undefined) {
    return `${name} is missing. ${asText(property(properties[missingProperty], 'description')) ?? ''}`.trim();
  }
  if (allowedValues !== undefined) return `${name} must be one of these: ${allowedValues.join(', ')}.`;
  if (type !== undefined) return `${name} must be ${TYPES[type] ?? type}.`;
  if (keyword === 'minLength') return `${name} is empty.`;
  if (keyword === 'pattern' || keyword === 'maxItems') return `${name} is wrong. ${description}`;
  return `${name} ${message}.`;
}

/**
 * What to do about a field that the file can't have there.
 * @param beside the fields that it can have there
 */
function adviceOnUnknown(name: string, beside: readonly string[], contents: unknown): string {
  const given = simplified(name);
  const isBeside = beside.some((one) => simplified(one) === given);
  const elsewhere = FIELDS.filter((field) => isCalled(field, given) && valueAt(contents, field) === undefined);
  return isBeside || elsewhere.length === 0
    ? didYouMean(name, beside)
    : ` It belongs ${elsewhere.map((field) => whereIs(field, name)).join(', or ')}.`;
}

/** Whether a field has this name, with or without where it belongs: `path`, `notify.path`. */
function isCalled(field: string, given: string): boolean {
  return `.${simplified(field)}`.endsWith(`.${given}`);
}

/** @param given what it's called in the file */
function whereIs(field: string, given: string): string {
  const [own = field, ...parents] = field.split('.').reverse();
  const place = parents.length === 0 ? 'beside service' : `in ${parents.reverse().join('.')}`;
  return own === given ? place : `${place}, as ${own}`;
}
