import type { DeviceAuthorization } from '../oauth/client';
import { asNumber, asObject, asText, parseObject, type Fields } from '../storage/fields';
import type { WaitingSignIn } from './keptSignIn';

/** Reads a sign-in that was written as JSON; `undefined` where it is not whole, as that of another version may be. */
export function readWaitingSignIn(text: string): WaitingSignIn | undefined {
  const fields = parseObject(text);
  const service = asObject(fields?.['service']);
  const baseUrl = asText(service?.['baseUrl']);
  const clientId = asText(service?.['clientId']);
  const deviceCode = readDeviceAuthorization(asObject(fields?.['deviceCode']));
  const arrivedAt = asNumber(fields?.['arrivedAt']);
  const accountLabel = asText(fields?.['accountLabel']);
  return baseUrl === undefined ||
    clientId === undefined ||
    deviceCode === undefined ||
    arrivedAt === undefined ||
    accountLabel === undefined
    ? undefined
    : { service: { baseUrl, clientId }, deviceCode, arrivedAt, accountLabel, replaces: asText(fields?.['replaces']) };
}

function readDeviceAuthorization(fields: Fields | undefined): DeviceAuthorization | undefined {
  const deviceCode = asText(fields?.['deviceCode']);
  const userCode = asText(fields?.['userCode']);
  const verificationUri = asText(fields?.['verificationUri']);
  const expiresIn = asNumber(fields?.['expiresIn']);
  const interval = asNumber(fields?.['interval']);
  return deviceCode === undefined ||
    userCode === undefined ||
    verificationUri === undefined ||
    expiresIn === undefined ||
    interval === undefined
    ? undefined
    : { deviceCode, userCode, verificationUri, expiresIn, interval };
}
