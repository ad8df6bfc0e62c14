import { asObject } from '../../fields';
import { safeUrl } from '../../oauth/address';
import { didYouMean } from '../settings/mistakes';
import { SERVICE_FIELDS } from '../settings/serviceFields';
import { ifValid, validateBaseUrl, validateName, validateText } from '../settings/validate';
import { isSameLabel } from '../../sessions/sameLabel';

/** An MCP server (Streamable HTTP) that VS Code offers, and whose requests carry the token of a session. */
export interface McpServerOptions {
  /** What people call it. No other one has the same label. */
  readonly label: string;
  /** Its address, which must begin with `https://`, except on this machine. The token goes there, and nowhere else. */
  readonly url: string;
  /** The base URL of the service whose session it is. Required if several are registered. Only the library has several. */
  readonly service?: string;
  /** The scopes of the session; none by default, which any session has. */
  readonly scopes?: readonly string[];
  /** Change it when the tools change: VS Code then asks the server for them again. */
  readonly version?: string;
  /** Headers that every request carries, besides `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Headers that belong to HTTP, to the protocol of MCP, or to the session. */
const RESERVED_HEADERS =
  /^(?:accept|accept-encoding|authorization|connection|content-.+|cookie|expect|host|keep-alive|last-event-id|mcp-.+|origin|proxy-.+|te|trailer|transfer-encoding|upgrade)$/i;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;

/** How each field is checked, and what to write instead. For developers, so not translated. */
const FIELDS: Readonly<
  Record<keyof McpServerOptions, readonly [isValid: (value: unknown) => boolean, advice: string]>
> = {
  label: [(value) => ifValid(() => validateName(value)) === value, 'Enter a name of up to 64 characters.'],
  url: [
    isServerUrl,
    'Enter an address that begins with https://, or with http:// on this machine, without a user name, password, or fragment.',
  ],
  service: [
    (value) => ifValid(() => validateBaseUrl(value)) !== undefined,
    'Enter the base URL of the service whose session it is.',
  ],
  scopes: [
    (value) => ifValid(() => SERVICE_FIELDS.scopes.read(value)) !== undefined,
    'Enter a list of scopes. A scope can’t contain spaces or quotation marks.',
  ],
  version: [(value) => ifValid(() => validateText(value)) === value, 'Enter text, such as 1.0.0.'],
  headers: [
    areHeaders,
    'Enter an object of headers. Authorization, and headers of HTTP or of MCP itself, can’t be among them.',
  ],
};

/** @returns a sentence for each field of a list of MCP servers that's wrong, and names it */
export function mcpServerProblems(servers: unknown): readonly string[] {
  if (!Array.isArray(servers)) {
    return ['mcpServers must be a list.'];
  }
  const labels = servers.map((server) => asObject(server)?.['label']);
  return servers.flatMap((server: unknown, index) => {
    const name = `mcpServers[${index}]`;
    const given = asObject(server);
    if (given === undefined) {
      return [`${name} must be an object.`];
    }
    const label = given['label'];
    const isTaken =
      typeof label === 'string' &&
      labels.slice(0, index).some((one) => typeof one === 'string' && isSameLabel(one, label));
    return [
      ...Object.keys(given).flatMap((field) =>
        Object.hasOwn(FIELDS, field)
          ? []
          : [`${name}.${field} isn't a known field.${didYouMean(field, Object.keys(FIELDS))}`],
      ),
      ...(['label', 'url'] as const).flatMap((field) =>
        given[field] === undefined ? [`${name}.${field} is missing.`] : [],
      ),
      ...Object.entries(FIELDS).flatMap(([field, [isValid, advice]]) =>
        given[field] === undefined || isValid(given[field]) ? [] : [`${name}.${field} is wrong. ${advice}`],
      ),
      ...(isTaken ? [`${name}.label is wrong. Another server has this name.`] : []),
    ];
  });
}

/**
 * Reads a list of MCP servers.
 * @returns a copy: what was passed may change later
 * @throws Error that names every field that's wrong
 */
export function readMcpServers(servers: unknown = []): readonly McpServerOptions[] {
  const problems = mcpServerProblems(servers);
  if (problems.length > 0) {
    throw new Error(problems.join(' '));
  }
  return structuredClone(servers) as readonly McpServerOptions[];
}

function isServerUrl(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    /^https?:\/\/[^/]/i.test(value) &&
    !/[\p{C}\p{Z}\\#]/u.test(value) &&
    safeUrl(value) !== undefined
  );
}

function areHeaders(value: unknown): boolean {
  const object = asObject(value);
  if (object === undefined) {
    return false;
  }
  const headers = Object.entries(object);
  const names = headers.map(([name]) => name.toLowerCase());
  return (
    new Set(names).size === names.length &&
    headers.every(
      ([name, text]) =>
        HEADER_NAME.test(name) && !RESERVED_HEADERS.test(name) && typeof text === 'string' && HEADER_VALUE.test(text),
    )
  );
}
