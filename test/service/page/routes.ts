import type { FastifyInstance, FastifyReply } from 'fastify';
import type { DeviceAuthorizations } from '../deviceAuthorizations';
import type { Random } from '../options';
import { bareUserCode } from '../secrets';
import { pageHeaders } from './document';
import { FormTokens } from './formToken';
import { allowed, askForCode, askForDecision, type CodeProblem, denied } from './views';

/** Path of the verification page. */
export const PAGE_PATH = '/activate';

/** Name of the account where the person gave none. */
export const DEFAULT_ACCOUNT = 'demo';

/** Beside the page, so that its forms can name their targets without the path that a proxy puts before them. */
const DECISION_PATH = `${PAGE_PATH}-decision`;

/** Longest code or name that is looked at, in characters. */
const LONGEST_ENTRY = 64;

/** What the verification page works with. */
export interface PageParts {
  readonly devices: DeviceAuthorizations;
  readonly clientName: string;
  readonly random: Random;
}

/** Adds the page where a user enters the user code, sees which client asks, and allows or denies it. */
export function addVerificationPage(app: FastifyInstance, { devices, clientName, random }: PageParts): void {
  const formTokens = new FormTokens(random);

  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, new URLSearchParams(String(body)));
  });

  app.get(PAGE_PATH, (request, reply) => {
    const query = new URL(request.raw.url ?? '', 'http://page').searchParams;
    return show(reply, askForCode(beside(PAGE_PATH), entry(query, 'user_code')));
  });

  app.post(PAGE_PATH, (request, reply) => {
    const userCode = entry(formOf(request.body), 'user_code');
    const problem = problemOf(devices, userCode);
    if (problem !== undefined) return showProblem(reply, userCode, problem);
    const formToken = formTokens.make(userCode);
    const question = {
      action: beside(DECISION_PATH),
      clientName,
      userCode: grouped(userCode),
      account: DEFAULT_ACCOUNT,
    };
    return show(reply, askForDecision({ ...question, formToken }));
  });

  app.post(DECISION_PATH, (request, reply) => {
    const form = formOf(request.body);
    const userCode = entry(form, 'user_code');
    const account = entry(form, 'account') || DEFAULT_ACCOUNT;
    const allow = form.get('decision') === 'allow';
    if (!formTokens.isGood(form.get('form_token') ?? '', userCode)) return showProblem(reply, userCode, 'outdated');
    const problem = devices.decide(userCode, allow ? { allow, account } : { allow });
    if (problem !== undefined) return showProblem(reply, userCode, problem);
    return show(reply, allow ? allowed(clientName, account) : denied(clientName));
  });
}

function beside(path: string): string {
  return path.slice(1);
}

function show(reply: FastifyReply, page: string): FastifyReply {
  return reply.headers(pageHeaders).send(page);
}

function showProblem(reply: FastifyReply, userCode: string, problem: CodeProblem): FastifyReply {
  return show(reply.code(400), askForCode(beside(PAGE_PATH), userCode, problem));
}

function problemOf(devices: DeviceAuthorizations, userCode: string): CodeProblem | undefined {
  if (bareUserCode(userCode) === '') return 'empty';
  const state = devices.stateOf(userCode) ?? 'unknown';
  return state === 'pending' ? undefined : state;
}

function formOf(body: unknown): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

/** What a person entered, on one line and of a sensible length. */
function entry(form: URLSearchParams, name: string): string {
  const text = (form.get(name) ?? '').replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return text.slice(0, LONGEST_ENTRY);
}

/** The code as devices show it. */
function grouped(userCode: string): string {
  const bare = bareUserCode(userCode);
  return `${bare.slice(0, 4)}-${bare.slice(4)}`;
}
