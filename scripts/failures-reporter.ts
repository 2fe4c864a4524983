import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

interface Failure {
  /** The test's file, groups and title. */
  readonly name: string;
  readonly error: string;
}

export interface Tally {
  readonly passed: number;
  readonly failures: readonly Failure[];
}

/** The environment variable that contains the path of the file to which the reporter writes the test results. */
export const TALLY_FILE = 'TEST_TALLY_FILE';

/** An error's cause comes before its message, because a failed property test's message is a long counterexample. */
function errorText({ name = 'Error', message, diff, stack = '', cause }: SerializedError): string {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const own = [`${name}: ${message}`, ...(typeof diff === 'string' ? [diff] : []), ...frames];
  return [...(cause === undefined ? [] : [errorText(cause)]), ...own].join('\n');
}

/** The failed tests in a file, and the errors outside tests, such as while the file loads or in a group's setup. */
function moduleFailures(module: TestModule): Failure[] {
  const file = module.relativeModuleId;
  const toFailure = (names: readonly string[], errors: readonly SerializedError[]): Failure => ({
    name: [file, ...names].join(' › '),
    error: errors.map(errorText).join('\n'),
  });
  const failuresOutsideTests = [module, ...module.children.allSuites()].flatMap((part) => {
    const errors = part.errors();
    return errors.length === 0 ? [] : [toFailure(part.type === 'suite' ? [part.fullName] : [], errors)];
  });
  const tests = [...module.children.allTests('failed')].map((test) =>
    toFailure([test.fullName], test.result().errors ?? []),
  );
  // If the process that runs a file dies, the file is never marked as finished.
  const hasDied = module.state() === 'pending' || module.state() === 'queued';
  return [...failuresOutsideTests, ...tests, ...(hasDied ? [{ name: file, error: 'did not finish' }] : [])];
}

/** Writes the tally of a run. Unlike Vitest's JSON reporter, it includes errors outside tests. */
export default class FailuresReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tally: Tally = {
      passed: modules.reduce((sum, module) => sum + [...module.children.allTests('passed')].length, 0),
      failures: [
        ...modules.flatMap(moduleFailures),
        ...unhandled.map((error) => ({ name: 'outside any test', error: errorText(error) })),
      ],
    };
    const file = process.env[TALLY_FILE];
    if (file !== undefined) writeFileSync(file, JSON.stringify(tally));
  }
}
