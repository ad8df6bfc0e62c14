import type * as vscode from 'vscode';

/** The scopes of a request, as VS Code tells requests apart. */
type ScopeList = string;

/**
 * VS Code's authentication core, as one window has it: it carries out the calls of a provider one after another, and
 * fills the Accounts menu. What it does oddly is what VS Code 1.103 and 1.139 do.
 */
export class FakeAuthentication {
  static readonly EXTENSION = 'Device Flow';
  #operations: Promise<unknown> = Promise.resolve();
  #registered: { readonly label: string; readonly provider: vscode.AuthenticationProvider } | undefined;
  #accounts: { readonly id: string; readonly label: string }[] = [];
  readonly #requests = new Map<ScopeList, string>();

  /** Registers a provider, once its earlier calls are done. */
  register(label: string, provider: vscode.AuthenticationProvider): { dispose(): void } {
    let subscription: vscode.Disposable | undefined;
    void this.#enqueue(async () => {
      subscription = provider.onDidChangeSessions((event) => void this.#update(event));
      this.#registered = { label, provider };
      // The menu asks at once; the queue is this operation's until it is done.
      void this.#enqueue(async () => {
        for (const { account } of await provider.getSessions(undefined, {})) await this.#addOrUpdate(account);
      });
      await Promise.resolve();
    });
    return {
      dispose: () => {
        void this.#enqueue(async () => {
          subscription?.dispose();
          this.#registered = undefined;
          this.#accounts = [];
          await Promise.resolve();
        });
      },
    };
  }

  /** Under which label the provider is registered. */
  get label(): string | undefined {
    return this.#registered?.label;
  }

  /** What the extension's own `getSession` does: the menu offers a sign-in if there is no session. */
  async getSession(scopes: readonly string[]): Promise<void> {
    const sessions = await this.#enqueue(() => this.#provider.getSessions(scopes, {}));
    if (this.#registered === undefined) return;
    const request = scopes.join(' ');
    if (sessions.length > 0) {
      this.#requests.set(
        request,
        `Grant access to ${this.#registered.label} for ${FakeAuthentication.EXTENSION}... (1)`,
      );
    } else if (!this.#requests.has(request)) {
      this.#requests.set(request, `Sign in with ${this.#registered.label} to use ${FakeAuthentication.EXTENSION} (1)`);
    }
  }

  /** A person's click on the offer to sign in, or another extension's wish. */
  createSession(
    scopes: readonly string[],
    options: vscode.AuthenticationProviderSessionOptions = {},
  ): Promise<vscode.AuthenticationSession> {
    return this.#enqueue(() => this.#provider.createSession(scopes, options));
  }

  /** The menu's entries, from top to bottom. */
  menu(): readonly string[] {
    return [
      ...this.#accounts.map(({ label }) => `${label} (${this.#registered?.label ?? ''})`),
      ...this.#requests.values(),
    ];
  }

  get #provider(): vscode.AuthenticationProvider {
    if (this.#registered === undefined) throw new Error('No authentication provider is registered.');
    return this.#registered.provider;
  }

  #enqueue<T>(operation: () => Thenable<T>): Promise<T> {
    const result = this.#operations.then(operation);
    this.#operations = result.catch(() => undefined);
    return result;
  }

  async #update({
    added = [],
    changed = [],
    removed = [],
  }: vscode.AuthenticationProviderAuthenticationSessionsChangeEvent): Promise<void> {
    for (const request of this.#requests.keys()) {
      if (inEveryVersion(request, added)) this.#requests.delete(request);
    }
    for (const { account } of removed) {
      const at = this.#accounts.findIndex(({ id }) => id === account.id);
      if (at >= 0) this.#accounts.splice(at, 1);
    }
    for (const { account } of [...changed, ...added]) await this.#addOrUpdate(account);
  }

  /** Adds by label to the list as it was when it began: a removal in the same moment comes too early. */
  async #addOrUpdate({ id, label }: vscode.AuthenticationSessionAccountInformation): Promise<void> {
    const accounts = this.#accounts;
    await Promise.resolve();
    if (!accounts.some((account) => account.label === label)) accounts.push({ id, label });
  }
}

/** Whether VS Code 1.103 and 1.139 both take one of the new sessions for what was requested. */
function inEveryVersion(request: ScopeList, added: readonly vscode.AuthenticationSession[]): boolean {
  const sorted = (scopes: readonly string[]): string => JSON.stringify([...scopes].sort());
  return (
    added.some(({ scopes }) => scopes.join(' ') === request) &&
    added.some(({ scopes }) => sorted(scopes) === sorted(request.split(' ')))
  );
}
