// Styles of an element that stands on a page by itself: its frame, and its distance from what stands above and below it.
// Elements inside another have none of it.

import { css } from 'lit';

export const panelStyles = css`
  :host {
    margin-block: var(--space-4);
  }

  /* What there is room for is a question of this element's width and of the size of its text, not of the screen's. */
  .panel {
    container-type: inline-size;
    background: var(--glass);
    border: 1px solid var(--line);
    border-radius: var(--radius);
    box-shadow: var(--edge);
    padding: clamp(var(--space-4), 2.2vw, var(--space-5));
  }
`;
