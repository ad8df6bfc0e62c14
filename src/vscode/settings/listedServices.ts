import { asObject, type Fields } from '../../fields';
import { settingsIn } from '../editor/settingsSource';
import { plainText } from '../texts/plainText';
import type { SettingProblem } from '../texts/settingTexts';
import { isSet, WrongSettingError } from './readSettings';
import { type ConfiguredService, type ReadService, readService } from './service';
import { serviceSettings, unknownFields } from './serviceOptions';

/** The list of further services as it can be used, and what can't be. */
export interface ListedServices {
  readonly services: readonly ConfiguredService[];
  readonly problems: readonly WrongSettingError[];
}

/** What an element must have: one that leaves out the protocol might be meant for either. */
const REQUIRED = ['baseUrl', 'clientId', 'protocol'] as const;

/** How many characters of the name of an unknown field are shown. */
const LONGEST_NAME = 64;

/**
 * Reads the list of further services, whose elements have the fields of `ServiceOptions`, less `clientSecret`. One that can't be
 * used is left out, and harms no other.
 * @param defaultBaseUrl the base URL of the default service, which no element may have
 */
export function readList(list: unknown, defaultBaseUrl: string | undefined): ListedServices {
  if (list === undefined || list === null) {
    return { services: [], problems: [] };
  }
  if (!Array.isArray(list)) {
    return { services: [], problems: [new WrongSettingError('services', 'not a list')] };
  }
  const services: ConfiguredService[] = [];
  const problems: WrongSettingError[] = [];
  const taken = new Set([defaultBaseUrl]);
  for (const [index, value] of list.entries()) {
    const { problems: own, service } = readElement(index, value);
    const isTaken = service !== undefined && taken.has(service.id.baseUrl);
    problems.push(...own, ...(isTaken ? [problemIn(index, 'baseUrl', 'same service')] : []));
    if (service !== undefined && !isTaken) {
      services.push(service);
      taken.add(service.id.baseUrl);
    }
  }
  return { services, problems };
}

/** Reads one element. */
function readElement(index: number, value: unknown): Pick<ReadService, 'problems' | 'service'> {
  const fields = asObject(value);
  if (fields === undefined) {
    return { service: undefined, problems: [problemIn(index, undefined, 'not an object')] };
  }
  const settings = settingsIn(serviceSettings(fields));
  const { problems, service } = readService(settings);
  const inElement = ({ problem, setting }: WrongSettingError): WrongSettingError => problemIn(index, setting, problem);
  const missing = REQUIRED.filter((name) => !isSet(settings, name)).map((name) =>
    problemIn(index, name, name === 'protocol' ? 'not a protocol' : 'empty'),
  );
  const isUsable = service !== undefined && missing.length === 0;
  return {
    service: isUsable ? { ...service, isListed: true, wrong: service.wrong.map(inElement) } : undefined,
    problems: [...missing, ...problems.map(inElement), ...misplaced(index, fields)],
  };
}

/** The fields that mean nothing in an element, or don't belong there. */
function misplaced(index: number, fields: Fields): readonly WrongSettingError[] {
  return [
    ...('clientSecret' in fields ? [problemIn(index, 'clientSecret', 'secret in settings')] : []),
    ...unknownFields(fields).map((name) => problemIn(index, plainText(name, LONGEST_NAME), 'unknown field')),
  ];
}

function problemIn(index: number, field: string | undefined, problem: SettingProblem): WrongSettingError {
  return new WrongSettingError('services', problem, { index, field });
}
