import { ConfigError } from "@envs/core";

/** Numbers of Linux's system calls on one architecture. */
interface Architecture {
  readonly audit: number;
  readonly denied: readonly number[];
  readonly forks: readonly number[];
  readonly clone: number;
  readonly clone3: number;
  readonly mmap: number;
  readonly socket: number;
}

/**
 * Denied: debugging others (ptrace, process_vm_*), mounts, namespaces, keyrings, kernel modules, bpf, perf, userfaultfd, io_uring,
 * and memory that no limit counts (System V and POSIX shared memory, memfd).
 */
const newerCalls = [425, 426, 427, 428, 429, 430, 431, 432, 433, 442, 447];
const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    denied: [
      29,
      30,
      31,
      101,
      155,
      165,
      166,
      175,
      179,
      240,
      246,
      248,
      249,
      250,
      272,
      298,
      304,
      308,
      310,
      311,
      313,
      319,
      321,
      323,
      ...newerCalls,
    ],
    forks: [57, 58],
    clone: 56,
    clone3: 435,
    mmap: 9,
    socket: 41,
  },
  arm64: {
    audit: 0xc00000b7,
    denied: [
      39,
      40,
      41,
      60,
      97,
      104,
      105,
      117,
      180,
      194,
      195,
      196,
      217,
      218,
      219,
      241,
      265,
      268,
      270,
      271,
      273,
      279,
      280,
      282,
      ...newerCalls,
    ],
    forks: [],
    clone: 220,
    clone3: 435,
    mmap: 222,
    socket: 198,
  },
};

const threadFlag = 0x10000;
/** MAP_SHARED | MAP_ANONYMOUS: memory that `ulimit -d` does not count. */
const sharedAnonymous = 0x21;
/** Local, IPv4, IPv6 and netlink. Others, such as vsock, are not part of the network namespace. */
const socketFamilies = [1, 2, 10, 16];

const [eperm, eagain, enosys, eafnosupport] = [1, 11, 38, 97];
const kill = 0x80000000;
const allow = 0x7fff0000;
const errno = (code: number): number => 0x50000 | code;

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const jumpIfEqual = (value: number, skip: number): Instruction => [0x15, 0, skip, value];
const jumpIfSet = (bits: number, skip: number): Instruction => [0x45, 0, skip, bits];
const jumpIfAtLeast = (value: number, skip: number): Instruction => [0x35, 0, skip, value];
const and = (bits: number): Instruction => [0x54, 0, 0, bits];
const answer = (action: number): Instruction => [0x06, 0, 0, action];

/** An instruction of classic BPF: code, jump if true, jump if false, operand. */
type Instruction = readonly [number, number, number, number];

const numberOffset = 0;
const architectureOffset = 4;
const argument = (index: number): number => 16 + 8 * index;

/**
 * The filter of system calls for a sandbox, as bubblewrap reads it. Without `forks`, a process cannot start another one; threads
 * are allowed.
 */
export function seccompFilter({ forks }: { readonly forks: boolean }): Buffer {
  const architecture = architectures[process.arch];
  if (architecture === undefined)
    throw new ConfigError(
      `Sandboxes of processes need an x64 or arm64 processor, and this one is ${process.arch}. Use a container.`,
    );
  const { audit, denied, clone, clone3, mmap, socket } = architecture;
  return assemble([
    load(architectureOffset),
    [0x15, 1, 0, audit],
    answer(kill),
    load(numberOffset),
    // The x32 calls of x64, which have other numbers.
    jumpIfAtLeast(0x40000000, 1),
    answer(errno(enosys)),
    ...denied.flatMap((call) => [jumpIfEqual(call, 1), answer(errno(eperm))]),
    // Blocks clone3, whose flags are in memory, which a filter cannot read. C libraries fall back to clone.
    jumpIfEqual(clone3, 1),
    answer(errno(enosys)),
    ...when(mmap, [
      load(argument(3)),
      and(sharedAnonymous),
      jumpIfEqual(sharedAnonymous, 1),
      answer(errno(eperm)),
    ]),
    ...when(socket, [
      load(argument(0)),
      ...socketFamilies.flatMap((family) => [jumpIfEqual(family, 1), answer(allow)]),
      answer(errno(eafnosupport)),
    ]),
    ...(forks ? [] : noForks(architecture, clone)),
    answer(allow),
  ]);
}

function noForks({ forks }: Architecture, clone: number): readonly Instruction[] {
  return [
    ...forks.flatMap((call) => [jumpIfEqual(call, 1), answer(errno(eagain))]),
    ...when(clone, [
      load(argument(0)),
      jumpIfSet(threadFlag, 1),
      answer(allow),
      answer(errno(eagain)),
    ]),
  ];
}

/** Runs instructions for one system call. They replace the accumulator, so the number is loaded again. */
function when(call: number, body: readonly Instruction[]): readonly Instruction[] {
  return [jumpIfEqual(call, body.length + 1), ...body, load(numberOffset)];
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, whenTrue, whenFalse, operand]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4);
  }
  return bytes;
}
