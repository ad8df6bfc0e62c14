import type { DecisionProblem } from '../deviceAuthorizations';
import { pageDocument } from './document';
import { html, nothing } from './html';

/** Why a code can't be used, in the words that a person reads. */
const problemTexts: Readonly<Record<DecisionProblem | 'empty' | 'outdated', string>> = {
  empty: 'Enter the code that your device shows.',
  unknown: 'There is no such code. Compare it with the one on your device and enter it again.',
  used: 'This code was already used. If you want to sign in once more, let your device show a new code.',
  approved: 'This code was already allowed. There is nothing more to do here: your device signs in by itself.',
  denied: 'This code was already denied. If that was a mistake, let your device show a new code.',
  expired: 'This code has expired. Let your device show a new one and enter that.',
  outdated: 'This page was out of date, so nothing was decided. Enter the code again.',
};

/** What is wrong with a code that was entered. */
export type CodeProblem = keyof typeof problemTexts;

/** The page that asks for the user code. */
export function askForCode(action: string, userCode: string, problem?: CodeProblem): string {
  const alert =
    problem === undefined ? nothing : html`<p class="alert" role="alert" id="problem">${problemTexts[problem]}</p>`;
  const field = problem === undefined ? '' : ' problem';
  return pageDocument(
    problem === undefined ? 'Connect a device' : 'This code cannot be used',
    html`<main>
      <h1>Connect a device</h1>
      ${alert}
      <form method="post" action="${action}">
        <label for="user_code">Code</label>
        <input
          class="code"
          type="text"
          id="user_code"
          name="user_code"
          value="${userCode}"
          required
          autofocus
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          maxlength="64"
          aria-invalid="${problem === undefined ? 'false' : 'true'}"
          aria-describedby="hint${field}"
        />
        <p class="hint" id="hint">
          It is shown by the device or program that you want to sign in. Capital or small letters, with or without the
          dash: all are fine.
        </p>
        <div class="buttons"><button class="main" type="submit">Continue</button></div>
      </form>
    </main>`,
  );
}

/** What the page that asks for the decision shows. */
export interface Question {
  readonly action: string;
  readonly clientName: string;
  readonly userCode: string;
  readonly account: string;
  readonly formToken: string;
}

/** The page that says who asks, and lets the person allow or deny. No button has the focus, so Enter decides nothing. */
export function askForDecision({ action, clientName, userCode, account, formToken }: Question): string {
  return pageDocument(
    `Allow ${clientName} to sign in?`,
    html`<main>
      <h1>Allow “${clientName}” to sign in?</h1>
      <p>
        It can then use this service in your name. Allow it only if you have just asked for it and it shows this code:
      </p>
      <p class="code">${userCode}</p>
      <form method="post" action="${action}">
        <input type="hidden" name="user_code" value="${userCode}" />
        <input type="hidden" name="form_token" value="${formToken}" />
        <label for="account">Your account</label>
        <input
          type="text"
          id="account"
          name="account"
          value="${account}"
          required
          autocomplete="off"
          spellcheck="false"
          maxlength="64"
          aria-describedby="hint"
        />
        <p class="hint" id="hint">
          This service is for trying things out: any name will do, and each name is an account of its own.
        </p>
        <div class="buttons">
          <button class="main" type="submit" name="decision" value="allow">Allow</button>
          <button type="submit" name="decision" value="deny">Deny</button>
        </div>
      </form>
    </main>`,
  );
}

/** The page that says that the sign-in was allowed. */
export function allowed(clientName: string, account: string): string {
  return pageDocument(
    'Allowed',
    html`<main class="done">
      <h1>Allowed</h1>
      <p role="status">“${clientName}” signs in as ${account} within a few seconds. You can close this page.</p>
    </main>`,
  );
}

/** The page that says that the sign-in was denied. */
export function denied(clientName: string): string {
  return pageDocument(
    'Denied',
    html`<main>
      <h1>Denied</h1>
      <p role="status">“${clientName}” was not signed in. You can close this page.</p>
    </main>`,
  );
}
