import { spawn } from "node:child_process";
import type { Socket } from "node:net";

/**
 * Counts the interrupts that a terminal sends to the process group. A second after the second one, it kills its parent. `cat` ends with
 * the parent, whose end of the pipe closes. It ignores interrupts, because it runs in the background.
 */
const script = `
n=0
trap 'n=$((n+1))' INT
exec 3<&0
cat <&3 >/dev/null &
while kill -0 $! 2>/dev/null && [ $n -lt 2 ]; do wait $!; done
[ $n -lt 2 ] && exit
sleep 1
kill -0 $! 2>/dev/null && kill -9 $PPID`;

/**
 * Ends this process by SIGKILL one second after the second Ctrl-C. Node calls the handlers of signals in the event loop, which code of an
 * author can keep busy forever. Does not keep the event loop alive. Does nothing on Windows.
 */
export function watchInterrupts(): Disposable {
  if (process.platform === "win32") return { [Symbol.dispose]: () => {} };
  const shell = spawn("sh", ["-c", script], { stdio: ["pipe", "ignore", "ignore"] });
  // Without a shell, the handlers of this process still receive each signal.
  shell.on("error", () => {});
  shell.unref();
  const input = shell.stdin as Socket;
  input.on("error", () => {}).unref();
  return { [Symbol.dispose]: () => void input.destroy() };
}
