import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ParsedMail, simpleParser } from 'mailparser';
import { vi } from 'vitest';
import { freePort } from '../../../data/runtime/testing/free-port.ts';

/** Debian's Postfix as a child process, with all its files in a temporary folder. */
export interface Postfix {
  readonly port: number;
  /** The only domain that the server accepts emails for. All emails arrive in one mailbox. */
  readonly domain: string;
  waitForMails(count: number): Promise<readonly ParsedMail[]>;
  stop(): Promise<void>;
}

const run = promisify(execFile);

/** Includes the folders of the Debian package, which an ordinary user's PATH lacks. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/lib/postfix/sbin`;
const DOMAIN = 'example.com';
/** The server exits after this time, even if its test is killed. */
const MAX_LIFE_SECONDS = 300;
const START_TIMEOUT_MS = 60_000;
const NOBODY_UID = 65_534;
const QUEUES = ['active', 'bounce', 'corrupt', 'defer', 'deferred', 'flush', 'hold', 'incoming', 'private'];

export function whyNoPostfix(): string | null {
  if (process.getuid?.() !== 0) return 'only root can start Postfix';
  const { error, status } = spawnSync('postconf', ['-d', '-h', 'mail_version'], { env: { PATH } });
  return error || status !== 0 ? 'Postfix is not installed: apt-get install postfix' : null;
}

const mainSettings = (folder: string) => `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file = ${folder}/log
maillog_file_prefixes = ${folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.${DOMAIN}
mydestination =
mynetworks =
alias_maps =
smtpd_peername_lookup = no
smtpd_relay_restrictions = reject_unauth_destination
default_transport = error:nothing leaves this machine
virtual_mailbox_domains = ${DOMAIN}
virtual_mailbox_base = ${folder}/mail
virtual_mailbox_maps = static:inbox/
virtual_uid_maps = static:${NOBODY_UID}
virtual_gid_maps = static:${NOBODY_UID}
virtual_minimum_uid = 1
`;

const serviceSettings = (port: number, pipe: string | undefined) => `
127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n ${pipe === undefined ? 300 : 1} 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
${pipe === undefined ? '' : `forward unix - n n - - pipe user=nobody argv=${pipe}`}
`;

const FORWARDING_SETTINGS = `virtual_transport = forward
queue_run_delay = 1s
minimal_backoff_time = 1s
maximal_backoff_time = 1s
`;

async function prepareFolder(folder: string, port: number, pipe: string | undefined): Promise<void> {
  // Postfix's processes run as other users, who need access to the folder.
  await chmod(folder, 0o711);
  const { stdout } = await run('id', ['-u', 'postfix']);
  const owner = Number(stdout);
  for (const name of ['etc', 'queue', 'queue/pid']) await mkdir(join(folder, name));
  for (const name of ['data', 'queue/public', ...QUEUES.map((queue) => `queue/${queue}`)]) {
    await mkdir(join(folder, name), { mode: 0o700 });
    await chown(join(folder, name), owner, 0);
  }
  await mkdir(join(folder, 'mail'));
  await chown(join(folder, 'mail'), NOBODY_UID, NOBODY_UID);
  const transport = pipe === undefined ? '' : FORWARDING_SETTINGS;
  await writeFile(join(folder, 'etc', 'main.cf'), mainSettings(folder) + transport);
  await writeFile(join(folder, 'etc', 'master.cf'), serviceSettings(port, pipe));
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function mailsIn(inbox: string): Promise<readonly string[]> {
  try {
    return (await readdir(inbox)).map((name) => join(inbox, name));
  } catch {
    // The first email creates the mailbox.
    return [];
  }
}

/**
 * Call this only if `whyNoPostfix` returns null.
 * @param pipe a command that receives each email; without it, emails go to the mailbox
 */
export async function startPostfix(pipe?: string): Promise<Postfix> {
  const folder = await mkdtemp(join(tmpdir(), 'postfix-'));
  const port = await freePort();
  await prepareFolder(folder, port, pipe);
  const master = spawn('master', ['-d', '-e', String(MAX_LIFE_SECONDS), '-c', join(folder, 'etc')], {
    env: { PATH },
    stdio: 'ignore',
    // Makes Postfix the leader of a process group, so that its children exit with it.
    detached: true,
  });
  const exit = once(master, 'exit');
  const isUp = async () => {
    if (master.exitCode === null) return isListening(port);
    throw new Error(`Postfix ended: ${await readFile(join(folder, 'log'), 'utf8')}`);
  };
  await vi.waitUntil(isUp, { timeout: START_TIMEOUT_MS });
  const inbox = join(folder, 'mail', 'inbox', 'new');
  return {
    port,
    domain: DOMAIN,
    waitForMails: async (count) => {
      await vi.waitUntil(async () => (await mailsIn(inbox)).length >= count, { timeout: START_TIMEOUT_MS });
      const files = await mailsIn(inbox);
      return Promise.all(files.map(async (file) => simpleParser(await readFile(file))));
    },
    stop: async () => {
      master.kill();
      await exit;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
