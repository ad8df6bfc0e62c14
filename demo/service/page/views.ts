import type { DecisionProblem } from '../deviceAuthorizations';
import { continueAfterPaste, type Html, html, nothing, pageDocument } from './document';

/** Maximum length of a code or name in characters. */
export const MAX_LENGTH = 64;

/** Why a code can't be used. */
const problemTexts: Readonly<Record<DecisionProblem | 'empty' | 'outdated', string>> = {
  empty: 'Enter the code that your device shows.',
  unknown: 'This code isn’t valid. Compare it with the one on your device and try again.',
  used: 'This code has already been used. To sign in again, get a new code on your device.',
  approved: 'This sign-in has already been allowed. You’re done here. Go back to your device to continue.',
  denied: 'This sign-in has already been denied. If that was a mistake, get a new code on your device.',
  expired: 'This code has expired. Get a new code on your device and enter that one.',
  outdated: 'This page was out of date, so nothing has changed. Enter the code again.',
};

/** What is wrong with a code that a user entered. */
export type CodeProblem = keyof typeof problemTexts;

// The forms use relative addresses, so that the page works behind a proxy that adds a path.

/** The page that asks for the user code. */
export function codePage(userCode: string, problem?: CodeProblem): string {
  const alert = problem && html`<p class="alert" role="alert" id="problem">${problemTexts[problem]}</p>`;
  const more = html`class="code" autofocus autocapitalize="characters" aria-invalid="${problem ? 'true' : 'false'}"`;
  return pageDocument(
    problem === undefined ? 'Connect a device' : 'This code can’t be used',
    html`<main>
      <h1>Connect a device</h1>
      ${alert ?? nothing}
      <form method="post" action="activate">
        ${field('user_code', 'Code', userCode, problem ? 'hint problem' : 'hint', more)}
        <p class="hint" id="hint">
          The device or program that you’re signing in shows the code. You can leave out the dash and use lowercase
          letters.
        </p>
        <div class="buttons"><button class="main" type="submit">Continue</button></div>
      </form>
      ${continueAfterPaste}
    </main>`,
  );
}

/** What the page that asks for a decision shows. */
export interface DecisionContent {
  readonly clientName: string;
  readonly userCode: string;
  readonly account: string;
  readonly formToken: string;
}

/** The page that says which client is asking. No button has the focus, so pressing Enter doesn't decide anything. */
export function decisionPage({ clientName, userCode, account, formToken }: DecisionContent): string {
  return pageDocument(
    `Allow ${clientName} to sign in?`,
    html`<main>
      <h1>Allow “${clientName}” to sign in?</h1>
      <p>
        It can then use this service as you. Allow it only if you just started this sign-in and ${clientName} shows this
        code:
      </p>
      <p class="code">${userCode}</p>
      <form method="post" action="activate-decision">
        <input type="hidden" name="user_code" value="${userCode}" />
        <input type="hidden" name="form_token" value="${formToken}" />
        ${field('account', 'Account', account, 'hint', nothing)}
        <p class="hint" id="hint">This is a demo service: any name works, and each name is a separate account.</p>
        <div class="buttons">
          <button class="main" type="submit" name="decision" value="allow">Allow</button>
          <button type="submit" name="decision" value="deny">Deny</button>
        </div>
      </form>
    </main>`,
  );
}

/** The page after the decision. */
export function resultPage(clientName: string, account: string | undefined): string {
  const [title, style, text] =
    account === undefined
      ? ['Denied', '', html`“${clientName}” wasn’t signed in.`]
      : ['Allowed', 'done', html`“${clientName}” can now sign in as ${account}. Go back to it to continue.`];
  return pageDocument(
    title,
    html`<main class="${style}">
      <h1>${title}</h1>
      <p role="status">${text} You can close this page.</p>
    </main>`,
  );
}

function field(name: string, label: string, value: string, describedBy: string, more: Html): Html {
  const common = html`type="text" required autocomplete="off" spellcheck="false" maxlength="${String(MAX_LENGTH)}"`;
  return html`<label for="${name}">${label}</label>
    <input id="${name}" name="${name}" value="${value}" aria-describedby="${describedBy}" ${common} ${more} />`;
}
