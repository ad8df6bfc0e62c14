import type { Copied, RecoveryCopy, SessionRecord } from './record';
import type { RefreshOutcome } from '../sessions/sessions';
import { asNumber, asObject, asOneOf, asText, type Fields } from './fields';

const OUTCOMES: readonly RefreshOutcome[] = [
  'refreshed',
  'no answer',
  'not sent',
  'refused',
  'unreadable answer',
  'not stored',
];

const COPIED: readonly Copied[] = ['no', 'untried', 'refused once'];

/** The record in these fields; `undefined` where what a refresh needs is missing. All else has a default. */
export function toRecord(fields: Fields | undefined): SessionRecord | undefined {
  const kept = fields === undefined ? undefined : toKept(fields);
  if (fields === undefined || kept === undefined) {
    return undefined;
  }
  const last = asObject(fields['lastRefresh']);
  const at = asNumber(last?.['at']);
  const outcome = asOneOf(last?.['outcome'], OUTCOMES);
  const superseded = fields['superseded'];
  return {
    ...kept,
    accessToken: asText(fields['accessToken']),
    tokenFrom: asNumber(fields['tokenFrom']) ?? 0,
    lifetime: asNumber(fields['lifetime']) ?? 0,
    superseded: Array.isArray(superseded) ? superseded.filter((one) => typeof one === 'string') : [],
    lastRefresh: at === undefined || outcome === undefined ? undefined : { at, outcome },
    failures: asNumber(fields['failures']) ?? 0,
    retryAt: asNumber(fields['retryAt']) ?? 0,
    stopped: fields['stopped'] === true,
    copied: asOneOf(fields['copied'], COPIED) ?? 'no',
    replays: asNumber(fields['replays']) ?? 0,
  };
}

/** The recovery copy in these fields; `undefined` where something is missing. */
export function toRecoveryCopy(fields: Fields | undefined): RecoveryCopy | undefined {
  const kept = fields === undefined ? undefined : toKept(fields);
  const generation = asNumber(fields?.['generation']);
  return kept === undefined || generation === undefined ? undefined : { ...kept, generation };
}

function toKept(fields: Fields): Omit<RecoveryCopy, 'generation'> | undefined {
  const account = asObject(fields['account']);
  const service = asObject(fields['service']);
  const id = asText(account?.['id']);
  const label = asText(account?.['label']);
  const baseUrl = asText(service?.['baseUrl']);
  const clientId = asText(service?.['clientId']);
  const clientSecret = asText(fields['clientSecret']);
  const place = asText(fields['place']);
  const refreshToken = asText(fields['refreshToken']);
  if (
    id === undefined ||
    label === undefined ||
    baseUrl === undefined ||
    clientId === undefined ||
    clientSecret === undefined ||
    place === undefined ||
    refreshToken === undefined
  ) {
    return undefined;
  }
  return {
    account: { id, label },
    service: { baseUrl, clientId },
    clientSecret,
    place,
    signedInAt: asNumber(fields['signedInAt']) ?? 0,
    refreshToken,
  };
}
