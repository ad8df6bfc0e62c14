import { asTextOrInteger, valueAt } from '../fields';
import type { AccountInfo, AccountOptions, DialectClient, OAuthClient } from './types';
import type { ServiceId } from './service';
import { createDraftClient } from './draftClient';
import { LONGEST_USER_ID } from './idToken';
import { unusableResponse } from './readResponses';
import { isOpaqueText } from './responseBody';
import type { OAuthDependencies } from './exchange';
import { sendRequest, USER_REQUEST, type ServiceResponse } from './sendRequest';
import { createStandardClient } from './standardClient';

/** The operations of each service: in its own dialect, because windows may have sessions of several, or in all of them. */
export function createClient(dependencies: OAuthDependencies): OAuthClient {
  const dialects = { draft: createDraftClient(dependencies), rfc8628: createStandardClient(dependencies) };
  const of = ({ protocol }: ServiceId): DialectClient => dialects[protocol];
  return {
    discover: async (service, ...rest) => await of(service).discover?.(service, ...rest),
    recognize: async (service) => (await of(service).recognize?.(service)) ?? true,
    requestDeviceAuthorization: (request, ...rest) => of(request).requestDeviceAuthorization(request, ...rest),
    poll: (request, ...rest) => of(request).poll(request, ...rest),
    refresh: (credentials, ...rest) => of(credentials).refresh(credentials, ...rest),
    revoke: async (credentials, ...rest) => await of(credentials).revoke?.(credentials, ...rest),
    fetchUserName: async (service, ...rest) => await of(service).fetchUserName?.(service, ...rest),

    async notify(baseUrl, options, accessToken, signal) {
      const request = { operation: 'notification', success: 'any body', signal } as const;
      await sendRequest(dependencies, { ...options, ...request, address: baseUrl, accessToken });
    },

    async fetchAccount(baseUrl, options, accessToken, signal) {
      const request = { ...USER_REQUEST, address: baseUrl, accessToken, signal };
      return readAccount(await sendRequest(dependencies, { ...options, ...request }), options);
    },
  };
}

/** Who is signed in. */
function readAccount(response: ServiceResponse, { field, idField }: AccountOptions): AccountInfo {
  const name = textAt(response, field);
  const id = idField === undefined ? undefined : textAt(response, idField);
  const isUsableId = isOpaqueText(id) && id.length <= LONGEST_USER_ID;
  if (name === undefined && !isUsableId) {
    throw unusableResponse(response, 'bad field', field);
  }
  return { id: isUsableId ? id : undefined, name };
}

/** The text at a path such as `user.name`, or the whole number; `undefined` if there is none, or a blank one. */
function textAt({ fields }: ServiceResponse, path: string): string | undefined {
  const text = asTextOrInteger(valueAt(Object.fromEntries(fields), path)) ?? '';
  return text.trim() === '' ? undefined : text;
}
