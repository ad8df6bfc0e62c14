import { isScope } from '../../oauth/scopes';
import { asObject } from '../../fields';
import { isSafeOrigin, isThisMachine, isReadableHost } from '../../oauth/address';
import type { EndpointSettings } from '../../oauth/client';
import { ENDPOINTS } from '../../oauth/metadata';
import { RESERVED_PARAMETERS } from '../../oauth/standardClient';
import { nameProblem } from '../texts/plainText';
import type { SettingProblem } from '../texts/settingTexts';

/** A value can't be used. Validators return the value in its normal form, or throw this. */
export class InvalidValueError extends Error {
  constructor(
    readonly problem: SettingProblem,
    message: string = problem,
  ) {
    super(message);
    this.name = 'InvalidValueError';
  }
}

function assertValid(isValid: boolean, problem: SettingProblem): asserts isValid {
  if (!isValid) {
    throw new InvalidValueError(problem);
  }
}

/** What `read` throws if a value is invalid; otherwise `undefined`. */
export function invalidValue(read: () => unknown): InvalidValueError | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof InvalidValueError) {
      return error;
    }
    throw error;
  }
}

/** What `read` returns, or `undefined` if a value is invalid. */
export function ifValid<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidValueError) {
      return undefined;
    }
    throw error;
  }
}

const LONGEST_TEXT = 2048;
const UNWANTED_IN_ADDRESS = /[\p{C}\p{Z}\\]/u;
const CONTROLS = /\p{Cc}/u;

/**
 * Validates the address of the service: `https:`, or `http:` on this machine; a path is allowed, but no credentials,
 * query, or fragment.
 * @returns the normalized address, without a slash at the end
 */
export function validateBaseUrl(value: unknown): string {
  const { origin, pathname } = validateAddress(value);
  return origin + pathname.replace(/\/+$/, '');
}

/**
 * Adds the `https://` that people leave out when they enter a base URL, or `http://` for this machine. Other names
 * without a dot stay as they are, because nobody knows what they mean.
 */
export function withScheme(text: string): string {
  const http = `http://${text.trim()}`;
  if (URL.canParse(http) && isThisMachine(new URL(http))) {
    return http;
  }
  const https = `https://${text.trim()}`;
  const isHost = /^[^\s/?#:]+\.[^\s/?#:.]+\.?(?::\d+)?(?:[/?#]|$)/.test(text.trim());
  return isHost && URL.canParse(https) ? https : text;
}

function validateAddress(value: unknown): URL {
  const text = validateText(value);
  const isAddress = !UNWANTED_IN_ADDRESS.test(text) && /^https?:\/\/[^/]/i.test(text) && URL.canParse(text);
  assertValid(isAddress, 'not an address');
  const address = new URL(text);
  assertValid(address.username === '' && address.password === '', 'has credentials');
  assertValid(!/[?#]/.test(text), 'has a query or fragment');
  assertValid(isSafeOrigin(address), 'not secure');
  assertValid(isReadableHost(address), 'unusual host');
  return address;
}

/** Validates text that may hold anything but control characters, such as a client ID; spaces around it are dropped. */
export function validateText(value: unknown): string {
  assertValid(typeof value === 'string', 'not a string');
  const text = value.trim();
  assertValid(text !== '', 'empty');
  assertValid(text.length <= LONGEST_TEXT, 'too long');
  assertValid(!CONTROLS.test(text), 'control characters');
  return text;
}

/** Validates a name to show, such as the service's; spaces around it are dropped. */
export function validateName(value: unknown): string {
  assertValid(typeof value === 'string', 'not a string');
  const problem = nameProblem(value);
  if (problem !== undefined) {
    throw new InvalidValueError(problem);
  }
  return value.trim().normalize('NFC');
}

function matching(pattern: RegExp, problem: SettingProblem): (value: unknown) => string {
  return (value) => {
    const text = validateText(value);
    assertValid(pattern.test(text), problem);
    return text;
  };
}

function oneOf<const T extends string>(problem: SettingProblem, ...choices: readonly T[]): (value: unknown) => T {
  return (value) => {
    const choice = choices.find((one) => one === value);
    assertValid(choice !== undefined, problem);
    return choice;
  };
}

/** Creates a validator for parameters of a request; those of the protocol itself can't be among them. */
function parametersExcept(reserved: readonly string[]): (value: unknown) => Readonly<Record<string, string>> {
  return (value) => {
    const object = asObject(value);
    assertValid(object !== undefined, 'not an object of strings');
    for (const [name, text] of Object.entries(object)) {
      assertValid(typeof text === 'string' && name !== '', 'not an object of strings');
      assertValid(!reserved.includes(name), name === 'access_token' ? 'reserved name' : 'reserved parameter');
      assertValid(name.length + text.length <= LONGEST_TEXT, 'too long');
    }
    return object as Readonly<Record<string, string>>;
  };
}

/** Validates a list of scopes (RFC 6749, section 3.3). */
function validateScopes(value: unknown): readonly string[] {
  assertValid(Array.isArray(value) && value.every(isScope), 'not scopes');
  return value;
}

/** Validates the endpoints of a standard service, except for what depends on the base URL. */
function validateEndpoints(value: unknown): EndpointSettings {
  const endpoints = parametersExcept([])(value);
  const isKnown = ([name, address]: [string, string]): boolean =>
    ENDPOINTS.some((one) => one === name) && address.trim() !== '' && !UNWANTED_IN_ADDRESS.test(address.trim());
  assertValid(Object.entries(endpoints).every(isKnown), 'not endpoints');
  return endpoints;
}

/** A path below the base URL: it begins with one slash, and has no `..`. */
const path = matching(/^(?!.*\/(?:\.|%2e){1,2}(?:\/|$))\/(?!\/)[\w\-.~!$&'()*+,;=:@%/]*$/i, 'not a path');

/** The name of a field, or of a nested field with dots. */
const field = matching(/^[\w-]{1,64}(?:\.[\w-]{1,64}){0,7}$/, 'not a field');

/** The settings, without the prefix that all of them share, and how each is validated. */
export const VALIDATORS = {
  baseUrl: validateBaseUrl,
  clientId: validateText,
  protocol: oneOf('not a protocol', 'draft', 'rfc8628'),
  endpoints: validateEndpoints,
  scopes: validateScopes,
  parameters: parametersExcept(RESERVED_PARAMETERS),
  serviceName: validateName,
  // Only its origin counts.
  verificationUrl: (value: unknown): string => validateAddress(value).origin,
  accessTokenIn: oneOf('not a place for the token', 'header', 'query'),
  'account.path': path,
  'account.field': field,
  'account.idField': field,
  'notify.path': path,
  'notify.method': oneOf('not a method', 'POST', 'PUT', 'GET'),
  'notify.parameters': parametersExcept(['access_token']),
  'notify.parametersIn': oneOf('not a place for parameters', 'query', 'form', 'json'),
  'notify.on': oneOf('not an occasion', 'signIn', 'everyToken'),
};

/** Names of the settings, without the prefix that all of them share. */
export type SettingName = keyof typeof VALIDATORS;

/** All of them. */
export const SETTING_NAMES = Object.keys(VALIDATORS) as readonly SettingName[];
