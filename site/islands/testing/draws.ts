/**
 * Counts how often React draws each component, by the hook that it offers to its developer tools. Import this before
 * anything that imports react-dom: the hook is looked for once.
 */

/** The part of React's tree that is read here. */
interface Fiber {
  readonly type: unknown;
  readonly flags: number;
  readonly memoizedProps: unknown;
  readonly child: Fiber | null;
  readonly sibling: Fiber | null;
  readonly alternate: Fiber | null;
}

/** React's mark on a component that was called in the commit at hand. */
const PERFORMED_WORK = 1;

const drawn: string[] = [];

function nameOf({ type, memoizedProps }: Fiber): string | null {
  if (typeof type !== 'function') return null;
  const label =
    typeof memoizedProps === 'object' && memoizedProps !== null && 'label' in memoizedProps
      ? ` ${String(memoizedProps.label)}`
      : '';
  return `${type.name}${label}`;
}

/** Walks what a commit touched: a child that is the very object it was before was passed over with all below it. */
function visit(now: Fiber, before: Fiber | null): void {
  const name = nameOf(now);
  if (name !== null && (before === null || (now.flags & PERFORMED_WORK) !== 0)) drawn.push(name);
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

/** The components drawn since it was asked last, each with its label if it has one, as often as it was drawn. */
export function takeDraws(): readonly string[] {
  return drawn.splice(0);
}
