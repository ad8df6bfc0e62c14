import { InvalidArgumentError } from 'commander';
import { command, messageOf } from '../../host/commandLine';
import { createService, type ServiceOptions } from './index';
import { DEFAULTS, portOption, protocolOptions, timeOptions } from './options';

const program = command(
  'npm run service --',
  'Starts the demo service, which implements the device flow on this machine and keeps its state in memory.',
)
  .addOption(portOption('--port', 'Port to listen on; 0 for any free one.').default(DEFAULTS.port))
  .option('--host <address>', 'Address to listen on.', notEmpty, DEFAULTS.host)
  .option('--client-id <id>', 'Client ID to accept.', notEmpty, DEFAULTS.clientId)
  .option('--client-secret <secret>', 'Client secret to accept. (default: a new random one)', notEmpty);
for (const option of [...timeOptions(), ...protocolOptions()]) program.addOption(option);
program
  .option('--lenient', 'Also accept parameters in forms, and refreshes at the device endpoint.')
  .addHelpText(
    'after',
    `
The first line on standard output is a JSON object with baseUrl, verificationUrl, clientId, and clientSecret.
Press Ctrl-C to stop the service.`,
  )
  .parse();

function notEmpty(value: string): string {
  if (value === '') throw new InvalidArgumentError("It can't be empty.");
  return value;
}

async function main(options: ServiceOptions): Promise<void> {
  const service = await createService(options);
  // A closed service doesn't keep the process alive. A second signal ends the process immediately.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void service.close());
  const { baseUrl, verificationUrl, clientId, clientSecret } = service;
  process.stdout.write(`${JSON.stringify({ baseUrl, verificationUrl, clientId, clientSecret })}\n`);
}

main(program.opts()).catch((error: unknown) => {
  console.error(messageOf(error));
  process.exitCode = 1;
});
