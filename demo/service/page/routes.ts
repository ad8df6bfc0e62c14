import { createHmac } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { DeviceAuthorizations } from '../deviceAuthorizations';
import { formatUserCode, normalizeUserCode, sameSecret, type Random } from '../secrets';
import { pageHeaders } from './document';
import { codePage, type CodeProblem, decisionPage, MAX_LENGTH, resultPage } from './views';

/** Path of the verification page. */
export const PAGE_PATH = '/activate';

/** Name of the account if the user doesn't enter one. */
export const DEFAULT_ACCOUNT = 'demo';

/** What the verification page works with. */
export interface PageDependencies {
  readonly devices: DeviceAuthorizations;
  readonly clientName: string;
  readonly random: Random;
}

/** Adds the page where users enter the user code, see which client is asking, and allow or deny it. */
export function addVerificationPage(app: FastifyInstance, { devices, clientName, random }: PageDependencies): void {
  const key = random(32);
  // Proves that a decision comes from the page about this user code: another site can post the form, but can't read it.
  const formTokenFor = (userCode: string): string =>
    createHmac('sha256', key).update(normalizeUserCode(userCode)).digest('base64url');

  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, new URLSearchParams(String(body)));
  });

  app.get(PAGE_PATH, (request, reply) => {
    const { searchParams } = new URL(request.raw.url ?? '', 'http://page');
    return show(reply, codePage(entry(searchParams, 'user_code')));
  });

  app.post<{ Body?: URLSearchParams }>(PAGE_PATH, ({ body }, reply) => {
    const typed = entry(body, 'user_code');
    const problem = problemOf(devices, typed);
    if (problem !== undefined) return showProblem(reply, typed, problem);
    const userCode = formatUserCode(typed);
    const formToken = formTokenFor(userCode);
    return show(reply, decisionPage({ clientName, userCode, account: DEFAULT_ACCOUNT, formToken }));
  });

  app.post<{ Body?: URLSearchParams }>(`${PAGE_PATH}-decision`, ({ body }, reply) => {
    const userCode = entry(body, 'user_code');
    const account = entry(body, 'account') || DEFAULT_ACCOUNT;
    const allow = body?.get('decision') === 'allow';
    if (!sameSecret(body?.get('form_token') ?? '', formTokenFor(userCode))) {
      return showProblem(reply, userCode, 'outdated');
    }
    const problem = devices.decide(userCode, allow ? { allow, account } : { allow });
    if (problem !== undefined) return showProblem(reply, userCode, problem);
    return show(reply, resultPage(clientName, allow ? account : undefined));
  });
}

function show(reply: FastifyReply, page: string): FastifyReply {
  return reply.headers(pageHeaders).send(page);
}

function showProblem(reply: FastifyReply, userCode: string, problem: CodeProblem): FastifyReply {
  return show(reply.code(400), codePage(userCode, problem));
}

function problemOf(devices: DeviceAuthorizations, userCode: string): CodeProblem | undefined {
  if (normalizeUserCode(userCode) === '') return 'empty';
  const state = devices.stateOf(userCode) ?? 'unknown';
  return state === 'pending' ? undefined : state;
}

/** What the user entered in a field, on one line and of a reasonable length. */
function entry(form: URLSearchParams | undefined, name: string): string {
  const text = (form?.get(name) ?? '').replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return text.slice(0, MAX_LENGTH);
}
