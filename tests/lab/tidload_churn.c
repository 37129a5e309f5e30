// SPDX-License-Identifier: GPL-2.0
/*
 * The churn command: processes in which QPs live, one that watches and kills.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tidload_churn.h"

#define LOOK_US		20000
/* Seconds that a process that is to be killed lives at most, once it has QPs */
#define PROCESS_TIME	2.5

/**
 * struct worker - a process in which QPs live
 * @pid: the process, 0 when there is none
 * @born: processes that there have been in its place
 * @dies: when it is killed; 0 when that is not settled yet
 * @killed: it has been
 * @beat: its last beat that was seen
 * @beaten: when that was, or when it was killed
 */
struct worker {
	pid_t pid;
	unsigned int born;
	double dies;
	bool killed;
	__u64 beat;
	double beaten;
};

/**
 * struct pulse - what a process lets the watcher know
 * @beat: goes on as long as the process does
 * @alive: pairs of QPs that it has now
 */
struct pulse {
	__u64 beat;
	__u64 alive;
};

/**
 * struct shared - memory that all processes share
 * @fig: what they have done
 * @pulse: of each process
 */
struct shared {
	struct churn fig;
	struct pulse pulse[MAX_PROCESSES];
};

/**
 * struct watch - the process that watches the others
 * @shared: what they share
 * @opt: the command line
 * @worker: the others
 * @n: how many there are at once
 * @chance: state of its random numbers
 * @killed: pairs of QPs that were there when their process was killed
 * @kills: processes killed
 * @status: exit status, as far as it is known
 */
struct watch {
	struct shared *shared;
	const struct options *opt;
	struct worker worker[MAX_PROCESSES];
	unsigned int n;
	__u64 chance;
	__u64 killed;
	unsigned int kills;
	int status;
};

/* Lives of this process, by connection */
static struct life *lives;
static struct fabric *lives_fabric;

static void completed(struct conn *c, unsigned int slot,
		      enum ibv_wc_status status)
{
	life_completed(lives_fabric, &lives[c->id], slot, status);
}

static unsigned int alive(const struct fabric *f)
{
	unsigned int i, n = 0;

	for (i = 0; i < f->opt->qps; i++)
		n += lives[i].phase != PHASE_NONE;
	return n;
}

static int live(struct fabric *f, struct pulse *pulse)
{
	unsigned int i;
	int ret;

	do {
		for (i = 0; i < f->opt->qps; i++) {
			ret = life_step(f, &lives[i], clock_now());
			if (ret)
				return ret == -ETIMEDOUT ? EXIT_WRONG :
							   EXIT_SETUP;
			churn_add(&pulse->beat, 1);
		}
		pulse->alive = alive(f);
		churn_add(&lives->fig->strays, f->strays);
		f->strays = 0;
		if (fabric_poll(f, 0.01) < 0)
			return EXIT_SETUP;
	} while (pulse->alive);
	return EXIT_OK;
}

static int work(struct shared *shared, struct pulse *pulse,
		const struct options *opt)
{
	struct fabric f = { .completed = completed };
	unsigned int i;
	int ret;

	if (fabric_open(&f, opt))
		return EXIT_SETUP;
	lives = calloc(opt->qps, sizeof(*lives));
	if (!lives)
		return EXIT_SETUP;
	lives_fabric = &f;
	for (i = 0; i < opt->qps; i++) {
		f.conns[i].id = i;
		lives[i].c = &f.conns[i];
		lives[i].fig = &shared->fig;
	}
	ret = live(&f, pulse);
	for (i = 0; i < opt->qps; i++) {
		conn_free(&f, &f.conns[i]);
		churn_add(&pulse->beat, 1);
	}
	return ret;
}

static int start(struct watch *w, unsigned int i)
{
	struct worker *worker = &w->worker[i];
	struct options opt = *w->opt;
	pid_t watcher = getpid();

	opt.check = true;
	opt.qps = (opt.qps + w->n - 1 - i) / w->n;
	w->shared->pulse[i].alive = 0;
	fflush(stdout);
	worker->pid = fork();
	if (worker->pid < 0)
		return -errno;
	if (!worker->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != watcher)
			_exit(EXIT_SETUP);
		exit(work(w->shared, &w->shared->pulse[i], &opt));
	}
	worker->born++;
	worker->dies = 0;
	worker->killed = false;
	worker->beaten = clock_now();
	return 0;
}

/* Where in the kernel a process is that does not come back */
static void show_stack(pid_t pid)
{
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		fprintf(stderr, "tidload: %d: %s", pid, line);
	if (file)
		fclose(file);
}

static void trouble(struct watch *w, int status)
{
	w->shared->fig.stop = true;
	if (w->status == EXIT_OK || status == EXIT_WRONG)
		w->status = status;
}

static void kill_worker(struct watch *w, unsigned int i, double now)
{
	struct worker *worker = &w->worker[i];

	kill(worker->pid, SIGKILL);
	worker->killed = true;
	worker->beaten = now;
	w->killed += w->shared->pulse[i].alive;
	w->kills++;
}

static bool more(const struct watch *w)
{
	return !w->shared->fig.stop &&
	       w->shared->fig.taken < w->opt->qps_total;
}

static void reap(struct watch *w, unsigned int i)
{
	struct worker *worker = &w->worker[i];
	int status;

	if (waitpid(worker->pid, &status, WNOHANG) != worker->pid)
		return;
	worker->pid = 0;
	if (worker->killed) {
		if (more(w) && start(w, i))
			trouble(w, EXIT_SETUP);
	} else if (WIFSIGNALED(status)) {
		fprintf(stderr, "tidload: a process died of signal %d\n",
			WTERMSIG(status));
		trouble(w, EXIT_WRONG);
	} else if (WEXITSTATUS(status)) {
		trouble(w, WEXITSTATUS(status));
	}
}

/* It is in a call that does not return, or does not die. Nothing is waited for. */
static void give_up(struct watch *w, unsigned int i)
{
	fprintf(stderr, "tidload: stuck: process %d %s\n", w->worker[i].pid,
		w->worker[i].killed ? "does not die" : "hangs");
	show_stack(w->worker[i].pid);
	churn_add(&w->shared->fig.stuck, 1);
	w->worker[i].pid = 0;
	trouble(w, EXIT_WRONG);
}

static void look_after(struct watch *w, unsigned int i)
{
	struct worker *worker = &w->worker[i];
	struct pulse *pulse = &w->shared->pulse[i];
	double now = clock_now();

	reap(w, i);
	if (!worker->pid)
		return;
	if (!worker->killed && worker->beat != pulse->beat) {
		worker->beat = pulse->beat;
		worker->beaten = now;
	}
	if (now - worker->beaten > w->opt->deadline) {
		give_up(w, i);
		return;
	}
	if (!w->opt->kill || worker->killed || !more(w) || !pulse->alive)
		return;
	if (!worker->dies)
		worker->dies = now + chance_unit(&w->chance) * PROCESS_TIME;
	else if (now >= worker->dies)
		kill_worker(w, i, now);
}

static unsigned int running(const struct watch *w)
{
	unsigned int i, n = 0;

	for (i = 0; i < w->n; i++)
		n += w->worker[i].pid != 0;
	return n;
}

static void print(const struct watch *w)
{
	const struct churn *fig = &w->shared->fig;
	__u64 ended = fig->done + fig->flushed + fig->expired + fig->refused +
		      fig->failed;

	printf("churn: seed %llu, %llu pairs of QPs, %llu connected anew; ",
	       w->opt->seed, fig->pairs, fig->again);
	printf("QPs: %llu done, %llu reset, %llu in error, %llu destroyed, %llu without memory; ",
	       fig->ways[WAY_DONE], fig->ways[WAY_RESET], fig->ways[WAY_ERR],
	       fig->ways[WAY_DESTROY], fig->ways[WAY_DEREG]);
	printf("%u processes killed with %llu pairs; ", w->kills, w->killed);
	printf("operations: %llu done, %llu flushed, %llu expired, %llu refused, %llu dropped; ",
	       fig->done, fig->flushed, fig->expired, fig->refused,
	       fig->posted - ended);
	printf("%llu failed, %llu wrong, %llu twice, %llu stuck\n", fig->failed,
	       fig->wrong, fig->strays, fig->stuck);
}

/**
 * run_churn() - the churn command
 * @f: no more of it is set than the command line
 *
 * Return: EXIT_OK; EXIT_WRONG when an operation failed or completed twice, a
 * byte was wrong or landed late, or an operation or a process got stuck;
 * EXIT_SETUP when it could not be done.
 */
int run_churn(struct fabric *f)
{
	struct watch w = { .opt = f->opt, .chance = mix(f->opt->seed) };
	const struct churn *fig;
	unsigned int i;

	w.n = f->opt->kill ? f->opt->kill : 1;
	if (w.n > f->opt->qps)
		w.n = f->opt->qps;
	w.shared = mmap(NULL, sizeof(*w.shared), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w.shared == MAP_FAILED)
		return EXIT_SETUP;
	fig = &w.shared->fig;
	printf("churn: seed %llu\n", f->opt->seed);
	for (i = 0; i < w.n; i++)
		if (start(&w, i))
			trouble(&w, EXIT_SETUP);
	while (running(&w)) {
		usleep(LOOK_US);
		for (i = 0; i < w.n; i++)
			if (w.worker[i].pid)
				look_after(&w, i);
	}
	print(&w);
	if (fig->failed || fig->wrong || fig->strays || fig->stuck)
		return EXIT_WRONG;
	return w.status;
}
