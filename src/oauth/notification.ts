import type { Parameter } from './address';
import { encodeParameters, operationAddress } from './address';
import type { NotificationOptions } from './client';
import type { HttpRequest } from './http';

/**
 * The request of the device notification (specification 4.4), as the settings shape it. GET carries no body, so there
 * the parameters go in the query whatever the settings say.
 *
 * @returns `undefined` where no request can be sent to the base URL.
 * @throws URIError where a parameter can't be encoded.
 */
export function notificationRequest(
  baseUrl: string,
  shape: NotificationOptions,
  accessToken: string,
): Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'> | undefined {
  const method = shape.method.toUpperCase();
  const parametersIn = method === 'GET' ? 'query' : shape.parametersIn;
  const parameters = Object.entries(shape.parameters);
  const token: Parameter = ['access_token', accessToken];
  const query = [...(parametersIn === 'query' ? parameters : []), ...(shape.accessTokenIn === 'query' ? [token] : [])];
  const url = operationAddress(baseUrl, shape.path, query);
  if (url === undefined) {
    return undefined;
  }
  return {
    method,
    url,
    headers: {
      ...(shape.accessTokenIn === 'header' ? { Authorization: `Bearer ${accessToken}` } : {}),
      ...(parametersIn === 'query' ? {} : { 'Content-Type': CONTENT_TYPES[parametersIn] }),
    },
    body: bodyOf(parametersIn, parameters),
  };
}

const CONTENT_TYPES = { form: 'application/x-www-form-urlencoded', json: 'application/json' };

function bodyOf(parametersIn: NotificationOptions['parametersIn'], parameters: readonly Parameter[]): string | null {
  switch (parametersIn) {
    case 'query':
      return null;
    case 'form':
      return encodeParameters(parameters);
    case 'json':
      return JSON.stringify(Object.fromEntries(parameters));
  }
}
