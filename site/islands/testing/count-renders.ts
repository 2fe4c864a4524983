/**
 * Counts the renders of each component through React's developer tools hook. Import this before react-dom, which looks
 * for the hook once.
 */

/** The part of React's internal tree used here. */
interface Fiber {
  readonly type: unknown;
  readonly flags: number;
  readonly memoizedProps: unknown;
  readonly child: Fiber | null;
  readonly sibling: Fiber | null;
  readonly alternate: Fiber | null;
}

/** React's flag for a component that rendered in the current commit. */
const PERFORMED_WORK = 1;

const renders: string[] = [];

function nameOf({ type, memoizedProps }: Fiber): string | null {
  if (typeof type !== 'function') return null;
  const label =
    typeof memoizedProps === 'object' && memoizedProps !== null && 'label' in memoizedProps
      ? ` ${String(memoizedProps.label)}`
      : '';
  return `${type.name}${label}`;
}

/** Visits what a commit changed. React skipped a child that is the same object as before, with all its descendants. */
function visit(now: Fiber, before: Fiber | null): void {
  const name = nameOf(now);
  if (name !== null && (before === null || (now.flags & PERFORMED_WORK) !== 0)) renders.push(name);
  if (before !== null && now.child === before.child) return;
  for (let child = now.child; child !== null; child = child.sibling) visit(child, child.alternate);
}

Object.assign(globalThis, {
  __REACT_DEVTOOLS_GLOBAL_HOOK__: {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: (_renderer: number, root: { readonly current: Fiber }) =>
      visit(root.current, root.current.alternate),
    onPostCommitFiberRoot: () => {},
    onCommitFiberUnmount: () => {},
  },
});

/** The components rendered since the last call, with their labels; one entry per render. */
export function takeRenders(): readonly string[] {
  return renders.splice(0);
}
