import { Component, type ReactNode } from 'react';

/** Shows a message in place of an island that cannot be rendered, for example if a part fails to load. */
export class IslandBoundary extends Component<{ readonly children: ReactNode }> {
  static getDerivedStateFromError = () => ({ hasFailed: true });
  override state = { hasFailed: false };

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <p role="alert">
        This part of the page could not be shown.{' '}
        <button type="button" className="button" onClick={() => location.reload()}>
          Reload
        </button>
      </p>
    );
  }
}
