#include "process_groups/nccl_backend.h"

#include "collectives/agreement.h"
#include "process_groups/group_error.h"
#include "process_groups/nccl_group.h"

#include <thread>

namespace ccgraph::runtime {
namespace {

class NcclWork final : public Work {
public:
  NcclWork(std::shared_ptr<NcclGroup> group, NcclGroup::CallPtr call)
      : group_(std::move(group)), call_(std::move(call)) {}

  llvm::Error wait(std::optional<Milliseconds> timeout) override {
    auto until = timeout ? std::min(call_->deadline(), Clock::now() + *timeout) : call_->deadline();
    for (;;) {
      llvm::Expected<bool> complete = group_->advance(*call_);
      if (!complete)
        return complete.takeError();
      if (*complete)
        return llvm::Error::success();
      if (Clock::now() >= until)
        return until == call_->deadline() ? group_->endOverdue(*call_) : early(*timeout);
      std::this_thread::yield();
    }
  }

  bool isCompleted() override {
    llvm::Expected<bool> complete = look();
    bool ended = !complete || *complete;
    llvm::consumeError(complete.takeError());
    return ended;
  }
  llvm::Error exception() override { return look().takeError(); }
  std::vector<Tensor> result() const override { return call_->group().result(); }
  llvm::Expected<int64_t> sourceRank() override {
    bool received = call_->group().launch().kind == CollectiveKind::Recv && call_->isComplete();
    return received ? llvm::Expected<int64_t>(call_->group().call().peer) : Work::sourceRank();
  }

private:
  using Clock = std::chrono::steady_clock;

  llvm::Expected<bool> look() {
    llvm::Expected<bool> complete = group_->advance(*call_);
    if (complete && !*complete && Clock::now() >= call_->deadline())
      return group_->endOverdue(*call_);
    return complete;
  }

  llvm::Error early(Milliseconds timeout) const {
    return groupError("run.deadline", groupOpName(call_->group().call().op),
                      "rank " + std::to_string(call_->group().launch().rank) + ": Timed out waiting " +
                          std::to_string(timeout.count()) + "ms for " + group_->describeCall(*call_));
  }

  std::shared_ptr<NcclGroup> group_;
  NcclGroup::CallPtr call_;
};

class NcclBackend final : public Backend {
public:
  explicit NcclBackend(std::shared_ptr<NcclGroup> group) : group_(std::move(group)) {}
  llvm::StringRef name() const override { return group_->backend(); }

  llvm::Expected<WorkPtr> launch(GroupCall call) override {
    const BackendSetup &setup = group_->setup();
    if (call.op == GroupOp::RecvAnySource)
      return unsupported(call.op);
    if (isTransfer(call.op) && call.tag != 0)
      return groupError("group.unsupported", groupOpName(call.op),
                        "Backend " + name().str() + " has no tags, got tag " + std::to_string(call.tag),
                        "use tag 0, or another backend");
    auto launch = std::make_shared<const GroupLaunch>(std::move(call), setup.rank, setup.members);
    if (std::string wrong = checkLaunch(launch->launch(), setup.members.size()); !wrong.empty())
      return groupError("group.argument", groupOpName(launch->call().op), wrong);
    llvm::Expected<NcclGroup::CallPtr> launched = group_->launch(std::move(launch));
    if (!launched)
      return launched.takeError();
    return WorkPtr(std::make_shared<NcclWork>(group_, std::move(*launched)));
  }

private:
  std::shared_ptr<NcclGroup> group_;
};

llvm::Expected<std::shared_ptr<Backend>> create(const BackendSetup &setup, llvm::Expected<GroupDevice> device,
                                                std::string name) {
  if (!device)
    return device.takeError();
  auto group = std::make_shared<NcclGroup>(setup, std::move(*device), std::move(name));
  if (llvm::Error error = group->open())
    return error;
  return std::shared_ptr<Backend>(std::make_shared<NcclBackend>(std::move(group)));
}

} // namespace

llvm::Expected<std::shared_ptr<Backend>> createNcclBackend(const BackendSetup &setup) {
  return create(setup, openNcclDevice(setup), "nccl");
}

llvm::Expected<std::shared_ptr<Backend>> createRecordedNcclBackend(const BackendSetup &setup) {
  return create(setup, openRecordedDevice(setup), "nccl-recorded");
}

} // namespace ccgraph::runtime
