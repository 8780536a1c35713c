/** "3 wait until you say them again or keep them" */
export const formatWaiting = (count: number): string =>
  count === 1
    ? "1 waits until you say it again or keep it"
    : `${count} wait until you say them again or keep them`;
