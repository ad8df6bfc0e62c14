import { asObject, type Fields } from '../../fields';
import { endpointInSettings } from '../../oauth/metadata';
import type { ConfiguredBy } from '../brand';
import { plainText } from '../texts/plainText';
import type { Problem } from '../texts/settingTexts';
import type { Field, Group } from './fieldKinds';
import { simplified } from './mistakes';
import { ALL_FIELDS, type Described, SERVICE_FIELDS, type ServiceValues } from './serviceFields';
import { InvalidValueError } from './validate';
import type { FieldProblem } from './wrongSetting';

/** What's read of a service, or of a group of its fields. */
interface Read<Values> {
  /** The values that can be used, in their normal forms. What's left out has its default. */
  readonly values: Values;
  /** A problem for each of the others, and for each field that means nothing. */
  readonly problems: readonly FieldProblem[];
}

/**
 * Reads a service by its description, each field once. What's given may change later: what's read doesn't.
 * @param configuredBy whose service it is: people may read and share a person's settings, so no secret may be in them
 */
export function readFields(given: unknown, configuredBy: ConfiguredBy): Read<ServiceValues> {
  const fields = asObject(given);
  const copy = Object.fromEntries(Object.keys(ALL_FIELDS).map((name) => [name, fields?.[name]]));
  // Which other fields belong to the service depends on it, wherever the description lists it.
  const protocol = readField('protocol', SERVICE_FIELDS.protocol, copy['protocol']).values;
  const values: Record<string, unknown> = {};
  const problems: FieldProblem[] = [];
  for (const [name, described] of Object.entries(ALL_FIELDS)) {
    const value = copy[name];
    const misplaced = isGiven(value) ? misplacement(described, protocol, configuredBy) : undefined;
    const read = readDescribed(name, described, misplaced === undefined ? value : undefined);
    values[name] = read.values;
    problems.push(...(misplaced === undefined ? read.problems : [{ field: name, problem: misplaced }]));
  }
  const all = values as unknown as ServiceValues;
  if (fields === undefined) {
    return { values: all, problems: [{ field: undefined, problem: { kind: 'not an object' } }] };
  }
  const unknown = unknownFields(fields, ALL_FIELDS);
  // A field that's there under another name isn't missing.
  const others = problems.filter(
    ({ field, isMissing }) => isMissing !== true || !unknown.some((one) => one.field === field),
  );
  return { values: all, problems: [...others, ...unsafeEndpoints(all), ...unknown] };
}

/** Why a field doesn't belong to the service; `undefined` if it does. */
function misplacement(described: Described, chosenProtocol: unknown, configuredBy: ConfiguredBy): Problem | undefined {
  if ('isSecret' in described && described.isSecret && configuredBy === 'person') {
    return { kind: 'secret in settings' };
  }
  const { protocol } = described;
  const isOfOther = protocol !== undefined && chosenProtocol !== undefined && protocol !== chosenProtocol;
  return isOfOther ? { kind: 'other protocol', protocol } : undefined;
}

function readDescribed(place: string, described: Described, value: unknown): Read<unknown> {
  return 'parts' in described ? readGroup(place, described, value) : readField(place, described, value);
}

function readGroup(place: string, { parts }: Group, value: unknown): Read<unknown> {
  const fields = asObject(isGiven(value) ? value : {});
  const read = Object.entries(parts).map(
    ([name, part]) => [name, readField(`${place}.${name}`, part, fields?.[name])] as const,
  );
  const values = Object.fromEntries(read.map(([name, one]) => [name, one.values]));
  if (fields === undefined) {
    const problem: Problem = { kind: 'not an object of fields', choices: Object.keys(parts) };
    return { values, problems: [{ field: place, problem }] };
  }
  return { values, problems: [...read.flatMap(([, one]) => one.problems), ...unknownFields(fields, parts, place)] };
}

function readField(place: string, field: Field<unknown>, value: unknown): Read<unknown> {
  if (value === '' && field.mayBeEmpty === true) {
    return { values: '', problems: [] };
  }
  const isMissing = !isGiven(value);
  if (isMissing && field.isRequired !== true) {
    return { values: field.default, problems: [] };
  }
  try {
    return { values: field.read(isMissing ? '' : value), problems: [] };
  } catch (error) {
    if (error instanceof InvalidValueError) {
      return { values: field.default, problems: [{ field: place, problem: error.problem, isMissing }] };
    }
    throw error;
  }
}

/** Whether there's a value. Text without any character is as if it were left out. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** The endpoints to which no secret would ever be sent: whether an address is safe depends on the base URL. */
function unsafeEndpoints({ baseUrl, endpoints }: ServiceValues): readonly FieldProblem[] {
  return Object.entries(endpoints)
    .filter(
      ([, address]) =>
        baseUrl !== undefined && address !== undefined && endpointInSettings(address, baseUrl) === undefined,
    )
    .map(([name]) => ({ field: `endpoints.${name}`, problem: { kind: 'not an endpoint' } }));
}

/** The fields that mean nothing, such as `notify.url`, or that are misspelled, such as `clientID`. */
function unknownFields(fields: Fields, known: object, group?: string): readonly FieldProblem[] {
  const placeOf = (name: string): string => (group === undefined ? name : `${group}.${name}`);
  const unknown = Object.keys(fields).filter((name) => !Object.hasOwn(known, name) && fields[name] !== undefined);
  return unknown.map((given): FieldProblem => {
    const name = plainText(given);
    const meant = Object.keys(known).find((one) => simplified(one) === simplified(given) && !isGiven(fields[one]));
    return meant === undefined
      ? { field: placeOf(name), problem: { kind: 'unknown field' } }
      : { field: placeOf(meant), problem: { kind: 'misspelled', name } };
  });
}
