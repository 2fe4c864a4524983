import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { InboundMailbox } from '../../../data/config/delivery-variables.ts';
import { freePort } from '../../../data/runtime/testing/free-port.ts';

/** Debian's Dovecot as a child process, with all its files in a temporary folder and one mailbox. */
export interface Dovecot {
  readonly mailbox: InboundMailbox;
  deliver(mail: string): Promise<void>;
  /** The flags of each email, as a sorted string of Maildir letters, such as `FS` for flagged and seen. */
  flags(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Includes the folder of the Debian package, which an ordinary user's PATH lacks. */
const PATH = `${process.env.PATH}:/usr/sbin`;
/** The server exits after this time, even if its test is killed. */
const MAX_LIFE_SECONDS = 300;
const START_TIMEOUT_MS = 60_000;
const NOBODY_UID = 65_534;
const USER = 'answers@example.com';
const PASSWORD = 'a password of 100% \\ " and signs';

/** Why Dovecot cannot be started; null if it can. */
export function whyNoDovecot(): string | null {
  if (process.getuid?.() !== 0) return 'only root can start Dovecot';
  const { error, status } = spawnSync('dovecot', ['--version'], { env: { PATH } });
  return error || status !== 0 ? 'Dovecot is not installed: apt-get install dovecot-imapd' : null;
}

const settings = (folder: string, port: number) => `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
mail_location = maildir:${folder}/mail
first_valid_uid = 1
default_login_user = nobody
default_internal_user = nobody
default_internal_group = nogroup
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
passdb {
  driver = passwd-file
  args = scheme=plain username_format=%u ${folder}/users
}
userdb {
  driver = static
  args = uid=${NOBODY_UID} gid=${NOBODY_UID} home=${folder}/mail
}
`;

async function waitForGreeting(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    const [line] = await once(socket, 'data');
    if (!String(line).startsWith('* OK')) throw new Error(`Dovecot says ${line}`);
  } finally {
    socket.destroy();
  }
}

export async function startDovecot(): Promise<Dovecot> {
  const folder = await mkdtemp(join(tmpdir(), 'dovecot-'));
  // Dovecot's processes run as another user, who needs access to the folder.
  await chmod(folder, 0o755);
  const mailFolder = join(folder, 'mail');
  for (const folderName of ['', 'new', 'cur', 'tmp']) {
    await mkdir(join(mailFolder, folderName), { recursive: true });
    await chown(join(mailFolder, folderName), NOBODY_UID, NOBODY_UID);
  }
  const port = await freePort();
  await writeFile(join(folder, 'users'), `${USER}:${PASSWORD}\n`);
  const file = join(folder, 'dovecot.conf');
  await writeFile(file, settings(folder, port));
  const server = spawn('timeout', [`${MAX_LIFE_SECONDS}`, 'dovecot', '-F', '-c', file], {
    env: { PATH },
    stdio: 'ignore',
  });
  const exited = once(server, 'exit');
  const stop = async () => {
    server.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await vi.waitFor(() => waitForGreeting(port), { timeout: START_TIMEOUT_MS, interval: 50 });
  } catch (error) {
    await stop();
    throw error;
  }
  let deliveredCount = 0;
  return {
    mailbox: {
      host: '127.0.0.1',
      port,
      isSecure: false,
      user: USER,
      password: PASSWORD,
      folder: 'INBOX',
    },
    deliver: async (text) => {
      deliveredCount += 1;
      // Names sort in the order of delivery.
      const name = `${1_700_000_000 + deliveredCount}.M1P1.test`;
      const unfinished = join(mailFolder, 'tmp', name);
      await writeFile(unfinished, text.replaceAll(/\r?\n/g, '\r\n'));
      await chown(unfinished, NOBODY_UID, NOBODY_UID);
      await rename(unfinished, join(mailFolder, 'new', name));
    },
    flags: async () => {
      const files = [
        ...(await readdir(join(mailFolder, 'new'))),
        ...(await readdir(join(mailFolder, 'cur'))),
      ];
      return files.sort().map((name) => /:2,([A-Z]*)$/.exec(name)?.[1] ?? '');
    },
    stop,
  };
}
