import { tellEnd } from '../commandLine';
import { help, readArguments } from './arguments';
import { createService, type ServiceOptions } from './index';

async function run(args: readonly string[]): Promise<void> {
  const options = readArguments(args);
  if (options === 'help') {
    process.stdout.write(help);
    return;
  }
  await serve(options);
}

async function serve(options: ServiceOptions): Promise<void> {
  const service = await createService(options);
  // Before the line that tells that the service is there. Once closed, nothing keeps the process; a second signal ends
  // it at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void service.close());
  const { baseUrl, verificationUrl, clientId, clientSecret } = service;
  process.stdout.write(`${JSON.stringify({ baseUrl, verificationUrl, clientId, clientSecret })}\n`);
}

run(process.argv.slice(2)).catch((error: unknown) => {
  process.exitCode = tellEnd(error, explain);
});

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'The service cannot start: another program listens on this port.';
  if (code === 'EACCES') return 'The service cannot start: this port needs more rights. Choose one above 1023.';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return 'The service cannot start: this machine does not have the address given with --host.';
  }
  return error.message;
}
